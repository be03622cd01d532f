/** New vaults, memories and entries. */
import { useState } from "preact/hooks";
import { api } from "../house/api.ts";
import { newKey } from "../house/key.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Trouble } from "../kit/pieces.tsx";
import { done } from "./change.ts";

type Field = "title" | "description" | "words" | "at";

/** Keeps what is typed and what went wrong, and sends it once. */
function useForm(send: (values: Record<Field, string>) => Promise<void>, onClose: () => void) {
  const [values, setValues] = useState<Record<Field, string>>({ title: "", description: "", words: "", at: "" });
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  return {
    values,
    problem,
    isBusy,
    set: (field: Field) => (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setValues((old) => ({ ...old, [field]: value }));
    },
    submit: async () => {
      setIsBusy(true);
      setProblem(undefined);
      try {
        await send(values);
        onClose();
      } catch (error) {
        setProblem(error);
        setIsBusy(false);
      }
    },
  };
}

/** A vault or a memory to be made. */
export function NewThing({ kind, path, onClose }: { kind: "vault" | "memory"; path: string; onClose: () => void }) {
  const { values, problem, isBusy, set, submit } = useForm(async ({ title, description }) => {
    await api("POST", path, { title: title.trim(), description: description.trim() });
    done(`Made: ${title.trim()}.`);
  }, onClose);
  return (
    <Dialog
      title={kind === "vault" ? "New vault" : "New memory"}
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" disabled={isBusy || values.title.trim() === ""} onPress={() => void submit()}>
            Make it
          </Button>
        </>
      }
    >
      <label class="field">
        Title
        <input class="input" value={values.title} onInput={set("title")} autofocus />
      </label>
      <label class="field">
        What it is for (may be left out)
        <textarea class="input" rows={2} value={values.description} onInput={set("description")} />
      </label>
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}

/** An entry to be written. */
export function NewEntry({ path, onClose }: { path: string; onClose: () => void }) {
  const { values, problem, isBusy, set, submit } = useForm(async ({ words, at }) => {
    const happened = at === "" ? {} : { conversation_time: new Date(at).toISOString() };
    await api("POST", path, { raw_entry: words, role: "user", idempotency_key: newKey(), ...happened });
    done("The entry is written.");
  }, onClose);
  return (
    <Dialog
      title="New entry"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" disabled={isBusy || values.words.trim() === ""} onPress={() => void submit()}>
            Write it
          </Button>
        </>
      }
    >
      <label class="field">
        The words
        <textarea class="input" rows={5} value={values.words} onInput={set("words")} autofocus />
      </label>
      <label class="field">
        When it happened (now, unless you say)
        <input class="input" type="datetime-local" value={values.at} onInput={set("at")} />
      </label>
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}
