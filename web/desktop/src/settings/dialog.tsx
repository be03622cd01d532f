/** The settings dialog: theme, alerts, keyboard shortcuts, models, devices, tokens, sign-out, and licences. */
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
import "./settings.css";

const THEMES: { id: Theme; label: string }[] = [
  { id: "auto", label: "System" },
  { id: "light", label: "Light" },
  { id: "dark", label: "Dark" },
];

const Tokens = lazy(async () => (await import("./tokens.tsx")).Tokens, true);
const ModelsPanel = lazy(async () => (await import("./models-panel.tsx")).ModelsPanel);

const CONNECTION_LABELS = { up: "connected", down: "reconnecting", connecting: "connecting" } as const;

/** The dialog. */
export function SettingsDialog() {
  const now = entry.value;
  const close = () => (openSettings.value = undefined);
  return (
    <Dialog title="Settings" onClose={close} class="settings">
      <section>
        <h3>Theme</h3>
        <Tabs label="Theme" tabs={THEMES} value={theme.value} onChange={(next) => (theme.value = next)} />
      </section>
      <Alerts />
      <section>
        <h3>Keyboard shortcuts</h3>
        <p class="settings-soft">
          <kbd>{keysOf("palette", isMac).join(" ")}</kbd> finds everything.
        </p>
        <Button
          icon="info"
          onPress={() => {
            close();
            openPalette.value = "keys";
          }}
        >
          Show all shortcuts
        </Button>
      </section>
      <Models />
      <Invite />
      <Tokens />
      <section>
        <h3>This browser</h3>
        <p class="settings-who">
          Signed in as <strong>{now.state === "in" ? now.owner : ""}</strong>
          <Badge tone={connection.value === "up" ? "success" : "warning"}>{CONNECTION_LABELS[connection.value]}</Badge>
        </p>
        <p class="settings-soft">
          To sign in again, run <code>dwell open</code> or paste the token.
        </p>
        <Button kind="danger" icon="out" onPress={() => void signOut()}>
          Sign out
        </Button>
      </section>
      <section class="settings-soft">
        <p>
          Dwell {now.state === "in" ? now.version : ""} ·{" "}
          <a href={addressOf("/assets/licences.txt")}>Third-party licences</a>
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
      <h3>Models</h3>
      <p class="settings-soft">Limits, features and prices of each model.</p>
      <Button icon="list" onPress={() => setOpen(true)}>
        Show models
      </Button>
      {isOpen && (
        <Dialog title="Models" onClose={() => setOpen(false)} class="models-dialog">
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
      announce("Link created. It works once and expires in ten minutes.");
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <section>
      <h3>Another device</h3>
      <p class="settings-soft">Sign in on another device with a link. It works once and expires in ten minutes.</p>
      {problem !== undefined && <ErrorNotice error={problem} />}
      {link === undefined ? (
        <Button icon="link" onPress={() => void invite()}>
          Create link
        </Button>
      ) : (
        <input
          class="input"
          aria-label="Link for another device"
          readOnly
          value={link}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </section>
  );
}
