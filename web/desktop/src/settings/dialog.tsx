/** The settings dialog: theme, language, alerts, keyboard shortcuts, models, devices, tokens, sign-out, and licences. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { api } from "../store/api.ts";
import { connection } from "../store/connection.ts";
import { entry, signOut } from "../store/sign-in.ts";
import { addressOf, serverUrl } from "../kit/address.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { announce } from "../kit/announce.ts";
import { lazy } from "../kit/lazy.tsx";
import { Badge, Tabs, ErrorNotice } from "../kit/pieces.tsx";
import { type Theme, theme } from "../kit/theme.ts";
import { isMac } from "../palette/keys.ts";
import { openPalette } from "../palette/open.ts";
import { keysOf } from "../palette/shortcuts.ts";
import { Alerts } from "./alerts.tsx";
import { openSettings } from "./open.ts";
import { type LanguageChoice, languageChoice } from "../languages/current.ts";
import { LANGUAGE_NAMES, LANGUAGES } from "../languages/match.ts";
import { texts } from "../languages/settings.ts";
import "./settings.css";

function themes(): { id: Theme; label: string }[] {
  return [
    { id: "auto", label: texts().system },
    { id: "light", label: texts().light },
    { id: "dark", label: texts().dark },
  ];
}

function languageChoices(): { id: LanguageChoice; label: string }[] {
  const named = LANGUAGES.map((id) => ({ id, label: LANGUAGE_NAMES[id] }));
  return [{ id: "auto", label: texts().asTheBrowser }, ...named];
}

const Tokens = lazy(async () => (await import("./tokens.tsx")).Tokens, true);
const ModelsPanel = lazy(async () => (await import("./models-panel.tsx")).ModelsPanel);

function connectionLabels() {
  return { up: texts().connected, down: texts().reconnecting, connecting: texts().connecting } as const;
}

/** The dialog. */
export function SettingsDialog() {
  const now = entry.value;
  const close = () => (openSettings.value = undefined);
  return (
    <Dialog title={texts().settings} onClose={close} class="settings">
      <section>
        <h3>{texts().theme}</h3>
        <Tabs label={texts().theme} tabs={themes()} value={theme.value} onChange={(next) => (theme.value = next)} />
      </section>
      <section>
        <h3>{texts().language}</h3>
        <Tabs
          label={texts().language}
          tabs={languageChoices()}
          value={languageChoice.value}
          onChange={(next) => (languageChoice.value = next)}
        />
      </section>
      <Alerts />
      <section>
        <h3>{texts().keyboardShortcuts}</h3>
        <p class="settings-soft">
          <kbd>{keysOf("palette", isMac).join(" ")}</kbd> {texts().findsEverything}
        </p>
        <Button
          icon="info"
          onPress={() => {
            close();
            openPalette.value = "keys";
          }}
        >
          {texts().showAllShortcuts}
        </Button>
      </section>
      <Models />
      <Invite />
      <Tokens />
      <section>
        <h3>{texts().thisBrowserTitle}</h3>
        <p class="settings-who">
          {texts().signedInAs} <strong>{now.state === "in" ? now.owner : ""}</strong>
          <Badge tone={connection.value === "up" ? "success" : "warning"}>{connectionLabels()[connection.value]}</Badge>
        </p>
        <p class="settings-soft">
          {texts().toSignAgainRun} <code>dwell open</code> {texts().orPasteTheToken}
        </p>
        <Button kind="danger" icon="out" onPress={() => void signOut()}>
          {texts().signOut}
        </Button>
      </section>
      <section class="settings-soft">
        <p>
          Dwell {now.state === "in" ? now.version : ""} ·{" "}
          <a href={addressOf("/assets/licences.txt")}>{texts().thirdPartyLicences}</a>
        </p>
      </section>
    </Dialog>
  );
}

/** Opens the models in a dialog of their own, since the table is wide. */
function Models() {
  const [isOpen, setOpen] = useState(false);
  // Only now: a dialog that opens before the one around it would be below it.
  useEffect(() => setOpen(openSettings.peek() === "models"), []);
  return (
    <section>
      <h3>{texts().models}</h3>
      <p class="settings-soft">{texts().limitsFeaturesAndPrices}</p>
      <Button icon="list" onPress={() => setOpen(true)}>
        {texts().showModels}
      </Button>
      {isOpen && (
        <Dialog title={texts().models} onClose={() => setOpen(false)} class="models-dialog">
          <ModelsPanel />
        </Dialog>
      )}
    </section>
  );
}

/** Creates a one-time link that signs in another browser. */
function Invite() {
  const [link, setLink] = useState<string | undefined>();
  const [problem, setProblem] = useState<unknown>();
  const invite = async () => {
    setProblem(undefined);
    try {
      const { invitation } = await api<wire.Invitation>("POST", "/api/v1/invitations");
      setLink(`${serverUrl()}#invitation=${invitation}`);
      announce(texts().linkCreatedWorksOnce);
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <section>
      <h3>{texts().anotherDevice}</h3>
      <p class="settings-soft">{texts().signAnotherDeviceWith}</p>
      {problem !== undefined && <ErrorNotice error={problem} />}
      {link === undefined ? (
        <Button icon="link" onPress={() => void invite()}>
          {texts().createLink}
        </Button>
      ) : (
        <input
          class="input"
          aria-label={texts().linkForAnotherDevice}
          readOnly
          value={link}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </section>
  );
}
