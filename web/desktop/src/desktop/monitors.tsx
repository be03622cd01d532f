/** The monitor switcher. Each monitor is a desktop with its own agent within the session. */
import { useState } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Tabs, ErrorNotice } from "../kit/pieces.tsx";
import { useDesktop } from "./context.ts";
import { PRIMARY } from "./store.ts";

/** The maximum number of monitors in a session. */
const MONITORS_MAX = 4;

/** The displayed name of a monitor. */
function nameOf(id: string): string {
  return id === PRIMARY ? "Main" : id.charAt(0).toUpperCase() + id.slice(1).replaceAll(/[_-]+/g, " ");
}

/** Selects, adds and removes monitors. */
export function Monitors() {
  const desktop = useDesktop();
  const [doing, setDoing] = useState<"adding" | "removing" | undefined>();
  const monitors = desktop.view.value?.monitors ?? [];
  const chosen = desktop.monitor.value;
  return (
    <div class="desktop-monitors">
      {monitors.length > 1 && (
        <Tabs
          label="Monitors"
          tabs={monitors.map(({ monitor_id: id }) => ({ id, label: nameOf(id) }))}
          value={chosen}
          onChange={(id) => {
            desktop.selectMonitor(id);
            announce(`Monitor ${nameOf(id)}`);
          }}
        />
      )}
      {chosen !== PRIMARY && (
        <IconButton icon="trash" label={`Remove monitor ${nameOf(chosen)}`} onPress={() => setDoing("removing")} />
      )}
      {monitors.length > 0 && monitors.length < MONITORS_MAX && (
        <IconButton icon="plus" label="Add monitor" onPress={() => setDoing("adding")} />
      )}
      {doing === "adding" && <AddMonitor onClose={() => setDoing(undefined)} />}
      {doing === "removing" && <RemoveMonitor id={chosen} onClose={() => setDoing(undefined)} />}
    </div>
  );
}

/** Turns a name into an id that the server accepts. */
function slug(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 32);
}

function AddMonitor({ onClose }: { onClose: () => void }) {
  const desktop = useDesktop();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const id = slug(name);
  const isTaken = (desktop.view.value?.monitors ?? []).some((monitor) => monitor.monitor_id === id);
  const add = async () => {
    if (id === "" || isTaken) return;
    try {
      await desktop.addMonitor(id);
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog
      title="Add monitor"
      onClose={onClose}
      foot={
        <>
          <Button kind="plain" onPress={onClose}>
            Cancel
          </Button>
          <Button kind="primary" disabled={id === "" || isTaken} onPress={() => void add()}>
            Add
          </Button>
        </>
      }
    >
      <p>A monitor is another desktop with its own agent, which works in parallel.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label class="field">
          Name
          <input
            class="input"
            autocomplete="off"
            maxLength={40}
            placeholder="Work, garden, holiday…"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
      </form>
      {isTaken && <p role="status">A monitor with that name already exists.</p>}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

function RemoveMonitor({ id, onClose }: { id: string; onClose: () => void }) {
  const desktop = useDesktop();
  const [problem, setProblem] = useState<unknown>();
  const count = desktop.windows.value.length;
  const remove = async () => {
    try {
      await desktop.removeMonitor(id);
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  const windows =
    count === 0 ? "It has no windows." : `This closes its ${count === 1 ? "window" : `${count} windows`}.`;
  return (
    <Dialog
      title={`Remove monitor ${nameOf(id)}?`}
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button kind="plain" onPress={onClose}>
            Cancel
          </Button>
          <Button kind="danger" onPress={() => void remove()}>
            Remove
          </Button>
        </>
      }
    >
      <p>{windows} Its agent stops. Its messages stay in the journal.</p>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
