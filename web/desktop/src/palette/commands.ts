/** Everything that the command palette offers beside sessions and messages. */
import { showFiles } from "../artifacts/files.tsx";
import type { IconName } from "../kit/icon.tsx";
import { type Theme, theme } from "../kit/theme.ts";
import { openDialog as openPlanned } from "../planned/open.ts";
import { openPresets } from "../presets/open.ts";
import { MAIN_VIEWS, WORKSHOP_VIEWS } from "../places.ts";
import { NAMES } from "../rail.tsx";
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

/** A command: what it is called, and what it does. */
export type Command = Findable & {
  id: string;
  icon: IconName;
  group: "Actions" | "Views" | "This conversation" | "Settings" | "Models";
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
      title: "New chat",
      words: "conversation session start",
      icon: "plus",
      group: "Actions",
      key: "new",
      run: () => go({ view: "talk" }),
    },
    {
      id: "plan",
      title: "Plan something",
      words: "reminder timer schedule webhook message call",
      icon: "planned",
      group: "Actions",
      run: () => {
        go({ view: "planned", session: place.peek().session });
        openPlanned.value = { what: "new" };
      },
    },
    {
      id: "prompts",
      title: "Prompts",
      words: "template text insert variables",
      icon: "book",
      group: "Actions",
      run: () => (openPresets.value = "prompts"),
    },
    {
      id: "personas",
      title: "Personas",
      words: "new chat instructions role assistant",
      icon: "agents",
      group: "Actions",
      run: () => (openPresets.value = "personas"),
    },
    {
      id: "next",
      title: "Next session",
      words: "switch older down",
      icon: "down",
      group: "Actions",
      key: "next",
      run: () => void switchSession(1),
    },
    {
      id: "previous",
      title: "Previous session",
      words: "switch newer up",
      icon: "up",
      group: "Actions",
      key: "previous",
      run: () => void switchSession(-1),
    },
    {
      id: "import",
      title: "Import session",
      words: "upload file json",
      icon: "upload",
      group: "Actions",
      run: () => (sessionDialog.value = { wish: "import" }),
    },
  ];
  const stop: Command = {
    id: "stop",
    title: "Stop the answer",
    words: "cancel turn abort",
    icon: "stop",
    group: "Actions",
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
  const group = "This conversation";
  const wish = (what: "rename" | "folder" | "export" | "end" | "delete") => () =>
    (sessionDialog.value = { session, wish: what });
  const all: Command[] = [
    {
      id: "find",
      title: "Find in this conversation",
      words: "search text",
      icon: "search",
      group,
      key: "find",
      run: () => void findInConversation(),
    },
    { id: "files", title: "Files in this conversation", icon: "file", group, run: () => showFiles(open.id) },
    { id: "rename", title: "Rename this session", words: "title", icon: "edit", group, run: wish("rename") },
    { id: "folder", title: "Move to folder", words: "group sort", icon: "folder", group, run: wish("folder") },
    {
      id: "export",
      title: "Export this session",
      words: "download markdown json pdf print share",
      icon: "download",
      group,
      run: wish("export"),
    },
    {
      id: "pin",
      title: isPinned(session) ? "Unpin this session" : "Pin this session",
      words: "keep on top favourite",
      icon: "pin",
      group,
      run: () => void attempt(() => pin(session.session_id, !isPinned(session))),
    },
    { id: "delete", title: "Delete this session", words: "remove", icon: "trash", group, run: wish("delete") },
  ];
  const end: Command = { id: "end", title: "End this session", words: "close", icon: "stop", group, run: wish("end") };
  return session.status === "active" ? [...all, end] : all;
}

function views(): Command[] {
  const { session } = place.value;
  const all = [...MAIN_VIEWS, ...WORKSHOP_VIEWS].map((view): Command => ({
    id: `view-${view}`,
    title: NAMES[view],
    words: "go to view open",
    icon: view,
    group: "Views",
    run: () => go({ view, session }),
  }));
  const planned = (detail: "alerts" | "history", title: string, icon: IconName): Command => ({
    id: `view-${detail}`,
    title,
    words: "go to view open planned",
    icon,
    group: "Views",
    run: () => go({ view: "planned", session, detail }),
  });
  return [...all, planned("alerts", "Alerts", "bell"), planned("history", "History of what was planned", "clock")];
}

const THEMES: readonly [Theme, string, IconName][] = [
  ["light", "Light theme", "sun"],
  ["dark", "Dark theme", "moon"],
  ["auto", "Theme of the system", "auto"],
];

function settings(): Command[] {
  const group = "Settings";
  return [
    {
      id: "settings",
      title: "Settings",
      words: "preferences notifications sound devices",
      icon: "settings",
      group,
      run: () => (openSettings.value = "general"),
    },
    {
      id: "models",
      title: "Models: limits, features and prices",
      words: "settings provider",
      icon: "list",
      group,
      run: () => (openSettings.value = "models"),
    },
    ...THEMES.filter(([id]) => id !== theme.value).map(([id, title, icon]): Command => ({
      id: `theme-${id}`,
      title,
      words: "settings colour appearance",
      icon,
      group,
      run: () => (theme.value = id),
    })),
    {
      id: "keys",
      title: "Keyboard shortcuts",
      words: "help keys",
      icon: "info",
      group,
      key: "keys",
      run: () => (openPalette.value = "keys"),
    },
    { id: "sign-out", title: "Sign out", words: "log out leave", icon: "out", group, run: () => void signOut() },
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
      title: `Use ${name}`,
      words: "model switch choose",
      icon: "agents",
      group: "Models",
      run: () => {
        if (open) void attempt(() => open.setModel(name));
        else modelForNew.value = name;
      },
    }));
}
