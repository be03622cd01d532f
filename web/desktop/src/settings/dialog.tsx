/** Settings of this page: how it looks, what keys do, which models there are, who is in, and what it is made of. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { api } from "../house/api.ts";
import { connection } from "../house/connection.ts";
import { entry, leave } from "../house/entry.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { announce } from "../kit/announce.ts";
import { type KeyLine, Keys } from "../kit/keys.tsx";
import { later } from "../kit/later.tsx";
import { Badge, Tabs, Trouble } from "../kit/pieces.tsx";
import { type Theme, theme } from "../kit/theme.ts";
import "./settings.css";

/** Whether they are looked at. */
export const settingsAreOpen = signal(false);

const LOOKS: { id: Theme; label: string }[] = [
  { id: "auto", label: "As the system" },
  { id: "light", label: "Light" },
  { id: "dark", label: "Dark" },
];

const KEYS: readonly KeyLine[] = [
  [["Enter"], "Send the message"],
  [["Shift", "Enter"], "A new line"],
  [["Escape"], "Stop the answer, or close what is open"],
  [["Tab"], "Go on to the next thing"],
  [["↑", "↓"], "Move in lists and menus"],
  [["F6"], "Go to the next window of the desktop"],
];

const ModelsKnown = later(async () => (await import("./models-known.tsx")).ModelsKnown);

const LINKS = { up: "connected", down: "reconnecting", connecting: "connecting" } as const;

/** The dialog. */
export function SettingsDialog() {
  const now = entry.value;
  const close = () => (settingsAreOpen.value = false);
  return (
    <Dialog title="Settings" onClose={close} class="settings">
      <section>
        <h3>Look</h3>
        <Tabs label="Look" tabs={LOOKS} value={theme.value} onChange={(next) => (theme.value = next)} />
      </section>
      <section>
        <h3>Keys</h3>
        <Keys lines={KEYS} />
      </section>
      <Models />
      <Invite />
      <section>
        <h3>This browser</h3>
        <p class="settings-who">
          You are in as <strong>{now.state === "in" ? now.owner : ""}</strong>
          <Badge tone={connection.value === "up" ? "success" : "warning"}>{LINKS[connection.value]}</Badge>
        </p>
        <p class="settings-soft">
          Leaving takes away this browser's key. To come back, run <code>dwell open</code> or paste the token.
        </p>
        <Button kind="danger" icon="out" onPress={() => void leave()}>
          Leave
        </Button>
      </section>
      <section class="settings-soft">
        <p>
          Dwell {now.state === "in" ? now.version : ""} ·{" "}
          <a href="/assets/licences.txt">Licences of what this page is made of</a>
        </p>
      </section>
    </Dialog>
  );
}

/** What is known of the models, in a dialog of its own: it is a wide table. */
function Models() {
  const [isOpen, setOpen] = useState(false);
  return (
    <section>
      <h3>Models</h3>
      <p class="settings-soft">What each model takes and costs, and where that is known from.</p>
      <Button icon="list" onPress={() => setOpen(true)}>
        Show the models
      </Button>
      {isOpen && (
        <Dialog title="Models" onClose={() => setOpen(false)} class="models-dialog">
          <ModelsKnown />
        </Dialog>
      )}
    </section>
  );
}

/** A link by which another browser comes in: good once, for ten minutes. */
function Invite() {
  const [link, setLink] = useState<string | undefined>();
  const [problem, setProblem] = useState<unknown>();
  const invite = async () => {
    setProblem(undefined);
    try {
      const { invitation } = await api<wire.Invitation>("POST", "/api/v1/invitations");
      setLink(`${location.origin}/#invitation=${invitation}`);
      announce("The link is there. It is good once, for ten minutes.");
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <section>
      <h3>Another device</h3>
      <p class="settings-soft">A link lets one more browser in. It is good once, for ten minutes.</p>
      {problem !== undefined && <Trouble error={problem} />}
      {link === undefined ? (
        <Button icon="link" onPress={() => void invite()}>
          Make a link
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
