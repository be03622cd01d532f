/** The profile tab: entries about the user, each with priority, source and history. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { api } from "../store/api.ts";
import { dwell } from "../store/connection.ts";
import { newKey } from "../store/key.ts";
import { Button } from "../kit/button.tsx";
import { EmptyState, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { askForget } from "./dialogs.tsx";
import { reportChange } from "./change.ts";
import { History } from "./history.tsx";
import { useLoad } from "./load.ts";
import { SourceLine } from "./pieces.tsx";
import { fromFact } from "./words.ts";
import { texts } from "../languages/memory.ts";

/** The profile tab. */
export function ProfileTab() {
  const [isAdding, setIsAdding] = useState(false);
  const { value, problem } = useLoad("profile", () => api<wire.FactPage>("GET", "/api/v1/profile"));
  const lines = value?.data;
  return (
    <>
      <div class="memory-lead">
        <p>{texts().whatAgentsKnowAbout}</p>
        {!isAdding && (
          <Button icon="plus" onPress={() => setIsAdding(true)}>
            {texts().newEntry}
          </Button>
        )}
      </div>
      {isAdding && (
        <div class="card memory-card">
          <LineForm onClose={() => setIsAdding(false)} />
        </div>
      )}
      {problem !== undefined && <ErrorNotice error={problem} />}
      {!lines && problem === undefined && (
        <div class="memory-wait">
          <Spinner />
        </div>
      )}
      {lines?.length === 0 && !isAdding && (
        <EmptyState icon="memory" title={texts().nothingYet}>
          {texts().sayRememberThatI}
        </EmptyState>
      )}
      {lines && lines.length > 0 && (
        <ul class="memory-list" aria-label={texts().profile}>
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
          <Button small kind="plain" icon="edit" label={texts().editKey(key)} onPress={() => setIsEditing(true)}>
            {texts().edit}
          </Button>
          <Button small kind="plain" icon="clock" label={texts().historyOfKey(key)} onPress={() => setIsOpen(!isOpen)}>
            {texts().history}
          </Button>
          <Button
            small
            kind="plain"
            icon="trash"
            label={texts().forgetKey(key)}
            onPress={() => askForget({ key }, `${key}: ${value}`, texts().thisDeletesAllItsValues)}
          >
            {texts().forget}
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
      {texts().priority} <span class="numbers">{value}</span>
      <span class="memory-track" aria-hidden="true">
        <span style={{ width: `${Math.min(100, value)}%` }} />
      </span>
    </span>
  );
}

/** The form that adds or edits an entry. */
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
      reportChange(texts().savedKeyIsRequest(request.key, request.value));
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
          {texts().name}
          <input
            class="input"
            required
            maxLength={80}
            placeholder={texts().diet}
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
            autofocus
          />
        </label>
      )}
      <label class="field">
        {line ? line.key : texts().value}
        <textarea
          class="input"
          rows={2}
          required
          placeholder={texts().vegan}
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
          autofocus={line !== undefined}
        />
      </label>
      <label class="field">
        <span>
          {texts().priority} <span class="numbers">{priority}</span>
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
      {problem !== undefined && <ErrorNotice error={problem} />}
      <div class="memory-form-foot">
        <Button onPress={onClose}>{texts().cancel}</Button>
        <Button kind="primary" type="submit" disabled={isBusy || key.trim() === "" || value.trim() === ""}>
          {texts().save}
        </Button>
      </div>
    </form>
  );
}
