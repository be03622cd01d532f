/** Everything that the command palette offers beside sessions and messages. */
import { showFiles } from "../artifacts/files.tsx";
import type { IconName } from "../kit/icon.tsx";
import { type Theme, theme } from "../kit/theme.ts";
import { openDialog as openPlanned } from "../planned/open.ts";
import { openPresets } from "../presets/open.ts";
import { MAIN_VIEWS, WORKSHOP_VIEWS } from "../places.ts";
import { viewNames } from "../rail.tsx";
import { go, place } from "../route.ts";
import { openSettings } from "../settings/open.ts";
import { signOut } from "../store/sign-in.ts";
import { isPinned } from "../store/pins.ts";
import { current, pin } from "../store/sessions.ts";
import { attempt } from "../talk/attempt.ts";
import { stopRunning } from "../talk/composer.tsx";
import { findInConversation } from "../talk/find/open.ts";
import { modelForNew, models } from "../talk/models.ts";
import { sessionDialog } from "../talk/sessions/asked.ts";
import { switchSession } from "./keys.ts";
import type { Findable } from "./match.ts";
import { openPalette } from "./open.ts";
import type { Shortcut } from "./shortcuts.ts";
import { texts } from "../languages/palette.ts";

/** A command: what it is called, and what it does. */
export type Command = Findable & {
  id: string;
  icon: IconName;
  group: string;
  key?: Shortcut;
  run: () => void;
};

/** The commands that make sense now. */
export function commandsNow(): Command[] {
  return [...actions(), ...ofConversation(), ...views(), ...settings(), ...modelChoices()];
}

function actions(): Command[] {
  const open = current.value;
  const isBusy = open?.isBusy.value ?? false;
  const all: Command[] = [
    {
      id: "new",
      title: texts().newChat,
      words: texts().conversationSessionStart,
      icon: "plus",
      group: texts().actions,
      key: "new",
      run: () => go({ view: "talk" }),
    },
    {
      id: "plan",
      title: texts().planSomething,
      words: texts().reminderTimerScheduleWebhook,
      icon: "planned",
      group: texts().actions,
      run: () => {
        go({ view: "planned", session: place.peek().session });
        openPlanned.value = { what: "new" };
      },
    },
    {
      id: "prompts",
      title: texts().prompts,
      words: texts().templateTextInsertVariables,
      icon: "book",
      group: texts().actions,
      run: () => (openPresets.value = "prompts"),
    },
    {
      id: "personas",
      title: texts().personas,
      words: texts().newChatInstructionsRole,
      icon: "agents",
      group: texts().actions,
      run: () => (openPresets.value = "personas"),
    },
    {
      id: "next",
      title: texts().nextSession,
      words: texts().switchOlderDown,
      icon: "down",
      group: texts().actions,
      key: "next",
      run: () => void switchSession(1),
    },
    {
      id: "previous",
      title: texts().previousSession,
      words: texts().switchNewerUp,
      icon: "up",
      group: texts().actions,
      key: "previous",
      run: () => void switchSession(-1),
    },
    {
      id: "import",
      title: texts().importSession,
      words: texts().uploadFileJson,
      icon: "upload",
      group: texts().actions,
      run: () => (sessionDialog.value = { wish: "import" }),
    },
  ];
  const stop: Command = {
    id: "stop",
    title: texts().stopTheAnswer,
    words: texts().cancelTurnAbort,
    icon: "stop",
    group: texts().actions,
    key: "stop",
    run: () => void stopRunning(open),
  };
  return isBusy ? [stop, ...all] : all;
}

/** What can be done with the open conversation. */
function ofConversation(): Command[] {
  const open = current.value;
  const session = open?.session.value;
  if (!open || !session) return [];
  const group = texts().thisConversation;
  const wish = (what: "rename" | "folder" | "export" | "end" | "delete") => () =>
    (sessionDialog.value = { session, wish: what });
  const all: Command[] = [
    {
      id: "find",
      title: texts().findInThisConversation,
      words: texts().searchText,
      icon: "search",
      group,
      key: "find",
      run: () => void findInConversation(),
    },
    { id: "files", title: texts().filesInThisConversation, icon: "file", group, run: () => showFiles(open.id) },
    { id: "rename", title: texts().renameThisSession, words: texts().title, icon: "edit", group, run: wish("rename") },
    { id: "folder", title: texts().moveToFolder, words: texts().groupSort, icon: "folder", group, run: wish("folder") },
    {
      id: "export",
      title: texts().exportThisSession,
      words: texts().downloadMarkdownJsonPdf,
      icon: "download",
      group,
      run: wish("export"),
    },
    {
      id: "pin",
      title: isPinned(session) ? texts().unpinThisSession : texts().pinThisSession,
      words: texts().keepOnTopFavourite,
      icon: "pin",
      group,
      run: () => void attempt(() => pin(session.session_id, !isPinned(session))),
    },
    {
      id: "delete",
      title: texts().deleteThisSession,
      words: texts().remove,
      icon: "trash",
      group,
      run: wish("delete"),
    },
  ];
  const end: Command = {
    id: "end",
    title: texts().endThisSession,
    words: texts().close,
    icon: "stop",
    group,
    run: wish("end"),
  };
  return session.status === "active" ? [...all, end] : all;
}

function views(): Command[] {
  const { session } = place.value;
  const all = [...MAIN_VIEWS, ...WORKSHOP_VIEWS].map((view): Command => ({
    id: `view-${view}`,
    title: viewNames()[view],
    words: texts().goToViewOpen,
    icon: view,
    group: texts().views,
    run: () => go({ view, session }),
  }));
  const planned = (detail: "alerts" | "history", title: string, icon: IconName): Command => ({
    id: `view-${detail}`,
    title,
    words: texts().goViewOpenPlanned,
    icon,
    group: texts().views,
    run: () => go({ view: "planned", session, detail }),
  });
  return [
    ...all,
    planned("alerts", texts().alerts, "bell"),
    planned("history", texts().historyWhatWasPlanned, "clock"),
  ];
}

function themes(): readonly [Theme, string, IconName][] {
  return [
    ["light", texts().lightTheme, "sun"],
    ["dark", texts().darkTheme, "moon"],
    ["auto", texts().themeOfTheSystem, "auto"],
  ];
}

function settings(): Command[] {
  const group = texts().settings;
  return [
    {
      id: "settings",
      title: texts().settings,
      words: texts().preferencesNotificationsSoundDevices,
      icon: "settings",
      group,
      run: () => (openSettings.value = "general"),
    },
    {
      id: "models",
      title: texts().modelsLimitsFeaturesAnd,
      words: texts().settingsProvider,
      icon: "list",
      group,
      run: () => (openSettings.value = "models"),
    },
    ...themes()
      .filter(([id]) => id !== theme.value)
      .map(([id, title, icon]): Command => ({
        id: `theme-${id}`,
        title,
        words: texts().settingsColourAppearance,
        icon,
        group,
        run: () => (theme.value = id),
      })),
    {
      id: "keys",
      title: texts().keyboardShortcuts,
      words: texts().helpKeys,
      icon: "info",
      group,
      key: "keys",
      run: () => (openPalette.value = "keys"),
    },
    {
      id: "sign-out",
      title: texts().signOut,
      words: texts().logOutLeave,
      icon: "out",
      group,
      run: () => void signOut(),
    },
  ];
}

/** The models for the open conversation, or for the next new one. */
function modelChoices(): Command[] {
  const open = current.value;
  const session = open?.session.value;
  if (session && (session.status !== "active" || session.settings.policy?.fixed_model)) return [];
  const chosen = open ? session?.settings.model : modelForNew.value;
  return models.value
    .filter((name) => name !== chosen)
    .map((name): Command => ({
      id: `model-${name}`,
      title: texts().useName(name),
      words: texts().modelSwitchChoose,
      icon: "agents",
      group: texts().models,
      run: () => {
        if (open) void attempt(() => open.setModel(name));
        else modelForNew.value = name;
      },
    }));
}
