/** Monitors: each a desktop and a conversation of its own within the session. */
import { useState } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Tabs, Trouble } from "../kit/pieces.tsx";
import { useDesk } from "./context.ts";
import { PRIMARY } from "./desk.ts";

/** Monitors of a session at most. */
const MONITORS_MAX = 4;

/** What a monitor is called. */
function nameOf(id: string): string {
  return id === PRIMARY ? "Main" : id.charAt(0).toUpperCase() + id.slice(1).replaceAll(/[_-]+/g, " ");
}

/** Which monitor is looked at; adds and removes some. */
export function Monitors() {
  const desk = useDesk();
  const [doing, setDoing] = useState<"adding" | "removing" | undefined>();
  const monitors = desk.view.value?.monitors ?? [];
  const chosen = desk.monitor.value;
  return (
    <div class="desk-monitors">
      {monitors.length > 1 && (
        <Tabs
          label="Monitors"
          tabs={monitors.map(({ monitor_id: id }) => ({ id, label: nameOf(id) }))}
          value={chosen}
          onChange={(id) => {
            desk.look(id);
            announce(`Monitor ${nameOf(id)}`);
          }}
        />
      )}
      {chosen !== PRIMARY && (
        <IconButton icon="trash" label={`Remove the monitor ${nameOf(chosen)}`} onPress={() => setDoing("removing")} />
      )}
      {monitors.length > 0 && monitors.length < MONITORS_MAX && (
        <IconButton icon="plus" label="Add a monitor" onPress={() => setDoing("adding")} />
      )}
      {doing === "adding" && <Add onClose={() => setDoing(undefined)} />}
      {doing === "removing" && <Remove id={chosen} onClose={() => setDoing(undefined)} />}
    </div>
  );
}

/** A name as the server takes it. */
function slug(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 32);
}

function Add({ onClose }: { onClose: () => void }) {
  const desk = useDesk();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const id = slug(name);
  const isTaken = (desk.view.value?.monitors ?? []).some((monitor) => monitor.monitor_id === id);
  const add = async () => {
    if (id === "" || isTaken) return;
    try {
      await desk.addMonitor(id);
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog
      title="Add a monitor"
      onClose={onClose}
      foot={
        <>
          <Button kind="plain" onPress={onClose}>
            Never mind
          </Button>
          <Button kind="primary" disabled={id === "" || isTaken} onPress={() => void add()}>
            Add it
          </Button>
        </>
      }
    >
      <p>A monitor is a desktop of its own, with an agent of its own that works beside the others.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label class="field">
          What is it for?
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
      {isTaken && <p role="status">There is a monitor of that name already.</p>}
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}

function Remove({ id, onClose }: { id: string; onClose: () => void }) {
  const desk = useDesk();
  const [problem, setProblem] = useState<unknown>();
  const count = desk.windows.value.length;
  const remove = async () => {
    try {
      await desk.removeMonitor(id);
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  const windows =
    count === 0 ? "It has no windows." : `Its ${count === 1 ? "window closes" : `${count} windows close`}.`;
  return (
    <Dialog
      title={`Remove the monitor ${nameOf(id)}?`}
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button kind="plain" onPress={onClose}>
            Keep it
          </Button>
          <Button kind="danger" onPress={() => void remove()}>
            Remove it
          </Button>
        </>
      }
    >
      <p>{windows} Its agent stops, and what was said there is no longer told. The journal keeps it.</p>
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}
