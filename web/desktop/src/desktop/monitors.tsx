/** The monitor switcher. Each monitor is a desktop with its own agent within the session. */
import { useState } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Tabs, ErrorNotice } from "../kit/pieces.tsx";
import { useDesktop } from "./context.ts";
import { PRIMARY } from "./store.ts";
import { texts } from "../languages/desktop.ts";

/** The maximum number of monitors in a session. */
const MONITORS_MAX = 4;

/** The displayed name of a monitor. */
function nameOf(id: string): string {
  return id === PRIMARY ? texts().main : id.charAt(0).toUpperCase() + id.slice(1).replaceAll(/[_-]+/g, " ");
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
          label={texts().monitors}
          tabs={monitors.map(({ monitor_id: id }) => ({ id, label: nameOf(id) }))}
          value={chosen}
          onChange={(id) => {
            desktop.selectMonitor(id);
            announce(texts().monitorId(nameOf(id)));
          }}
        />
      )}
      {chosen !== PRIMARY && (
        <IconButton
          icon="trash"
          label={texts().removeMonitorChosen(nameOf(chosen))}
          onPress={() => setDoing("removing")}
        />
      )}
      {monitors.length > 0 && monitors.length < MONITORS_MAX && (
        <IconButton icon="plus" label={texts().addMonitor} onPress={() => setDoing("adding")} />
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
      title={texts().addMonitor}
      onClose={onClose}
      foot={
        <>
          <Button kind="plain" onPress={onClose}>
            {texts().cancel}
          </Button>
          <Button kind="primary" disabled={id === "" || isTaken} onPress={() => void add()}>
            {texts().add}
          </Button>
        </>
      }
    >
      <p>{texts().aMonitorAnotherDesktop}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label class="field">
          {texts().name}
          <input
            class="input"
            autocomplete="off"
            maxLength={40}
            placeholder={texts().workGardenHoliday}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
      </form>
      {isTaken && <p role="status">{texts().aMonitorWithThat}</p>}
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
  const windows = count === 0 ? texts().itHasNoWindows : texts().closesWindows(count);
  return (
    <Dialog
      title={texts().removeMonitorId(nameOf(id))}
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button kind="plain" onPress={onClose}>
            {texts().cancel}
          </Button>
          <Button kind="danger" onPress={() => void remove()}>
            {texts().remove}
          </Button>
        </>
      }
    >
      <p>
        {windows} {texts().itsAgentStopsIts}
      </p>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
