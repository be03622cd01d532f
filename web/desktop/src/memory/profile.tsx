/** The profile: lines about the person, each with its weight, its source and its history. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { api } from "../house/api.ts";
import { dwell } from "../house/connection.ts";
import { newKey } from "../house/key.ts";
import { Button } from "../kit/button.tsx";
import { Empty, Spinner, Trouble } from "../kit/pieces.tsx";
import { askForget } from "./ask.tsx";
import { done } from "./change.ts";
import { History } from "./history.tsx";
import { useLoaded } from "./load.ts";
import { SourceLine } from "./pieces.tsx";
import { fromFact } from "./words.ts";

/** The tab. */
export function ProfileTab() {
  const [isAdding, setIsAdding] = useState(false);
  const { value, problem } = useLoaded("profile", () => api<wire.FactPage>("GET", "/api/v1/profile"));
  const lines = value?.data;
  return (
    <>
      <div class="memory-lead">
        <p>What every turn knows about you: the eight most important lines are told first.</p>
        {!isAdding && (
          <Button icon="plus" onPress={() => setIsAdding(true)}>
            New line
          </Button>
        )}
      </div>
      {isAdding && (
        <div class="card memory-card">
          <LineForm onClose={() => setIsAdding(false)} />
        </div>
      )}
      {problem !== undefined && <Trouble error={problem} />}
      {!lines && problem === undefined && (
        <div class="memory-wait">
          <Spinner />
        </div>
      )}
      {lines?.length === 0 && !isAdding && (
        <Empty icon="memory" title="Nothing yet">
          Say “remember that I am vegan”, or write a line here.
        </Empty>
      )}
      {lines && lines.length > 0 && (
        <ul class="memory-list" aria-label="Profile">
          {lines.map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </ul>
      )}
    </>
  );
}

function Line({ line }: { line: wire.Fact }) {
  const [isEditing, setIsEditing] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const { key, value, priority, source, valid_from: from } = line;
  if (isEditing) {
    return (
      <li class="card memory-card">
        <LineForm line={line} onClose={() => setIsEditing(false)} />
      </li>
    );
  }
  return (
    <li class="card memory-card">
      <div class="memory-item">
        <div class="memory-item-main">
          <p class="memory-key">{key}</p>
          <p class="memory-value">{value}</p>
          <p class="memory-meta">
            <SourceLine source={source} at={from} />
            <Priority value={priority} />
          </p>
        </div>
        <div class="memory-actions">
          <Button small kind="plain" icon="edit" label={`Edit ${key}`} onPress={() => setIsEditing(true)}>
            Edit
          </Button>
          <Button small kind="plain" icon="clock" label={`History of ${key}`} onPress={() => setIsOpen(!isOpen)}>
            History
          </Button>
          <Button
            small
            kind="plain"
            icon="trash"
            label={`Forget ${key}`}
            onPress={() =>
              askForget(
                { key },
                `${key}: ${value}`,
                "All that was ever kept under this name goes, with its history and the words it comes from in your conversations.",
              )
            }
          >
            Forget
          </Button>
        </div>
      </div>
      {isOpen && (
        <History
          label={key}
          read={async () =>
            (await api<wire.FactPage>("GET", `/api/v1/profile/${encodeURIComponent(key)}`)).data.map(fromFact)
          }
        />
      )}
    </li>
  );
}

function Priority({ value }: { value: number }) {
  return (
    <span class="memory-priority">
      Priority <span class="numbers">{value}</span>
      <span class="memory-track" aria-hidden="true">
        <span style={{ width: `${Math.min(100, value)}%` }} />
      </span>
    </span>
  );
}

/** A line to write, or one to change. */
function LineForm({ line, onClose }: { line?: wire.Fact; onClose: () => void }) {
  const [key, setKey] = useState(line?.key ?? "");
  const [value, setValue] = useState(line?.value ?? "");
  const [priority, setPriority] = useState(line?.priority ?? 50);
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const save = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setProblem(undefined);
    try {
      const client = await dwell();
      const request = { key: key.trim(), value: value.trim(), priority, idempotency_key: newKey() };
      await client.request("memory.set", request);
      onClose();
      done(`Kept: ${request.key} is “${request.value}”.`);
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  return (
    <form
      class="memory-form"
      onSubmit={(event) => void save(event)}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      {!line && (
        <label class="field">
          What it is about
          <input
            class="input"
            required
            maxLength={80}
            placeholder="diet"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
            autofocus
          />
        </label>
      )}
      <label class="field">
        {line ? line.key : "What holds"}
        <textarea
          class="input"
          rows={2}
          required
          placeholder="vegan"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
          autofocus={line !== undefined}
        />
      </label>
      <label class="field">
        <span>
          Priority <span class="numbers">{priority}</span>
        </span>
        <input
          type="range"
          min={0}
          max={100}
          step={5}
          value={priority}
          onInput={(event) => setPriority(Number(event.currentTarget.value))}
        />
      </label>
      {problem !== undefined && <Trouble error={problem} />}
      <div class="memory-form-foot">
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isBusy || key.trim() === "" || value.trim() === ""}>
          Save
        </Button>
      </div>
    </form>
  );
}
