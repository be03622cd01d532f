/** The forms that create vaults, memories and entries. */
import { useState } from "preact/hooks";
import { api } from "../store/api.ts";
import { newKey } from "../store/key.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { reportChange } from "./change.ts";
import { texts } from "../languages/memory.ts";

type Field = "title" | "description" | "words" | "at";

/** Form state: values, error, and a guard against double submission. */
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

/** The form for a new vault or memory. */
export function NewContainer({ kind, path, onClose }: { kind: "vault" | "memory"; path: string; onClose: () => void }) {
  const { values, problem, isBusy, set, submit } = useForm(async ({ title, description }) => {
    await api("POST", path, { title: title.trim(), description: description.trim() });
    reportChange(texts().createdTitle(title.trim()));
  }, onClose);
  return (
    <Dialog
      title={kind === "vault" ? texts().newVault : texts().newMemory}
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{texts().cancel}</Button>
          <Button kind="primary" disabled={isBusy || values.title.trim() === ""} onPress={() => void submit()}>
            {texts().create}
          </Button>
        </>
      }
    >
      <label class="field">
        {texts().title}
        <input class="input" value={values.title} onInput={set("title")} autofocus />
      </label>
      <label class="field">
        {texts().descriptionOptional}
        <textarea class="input" rows={2} value={values.description} onInput={set("description")} />
      </label>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

/** The form for a new entry. */
export function NewEntry({ path, onClose }: { path: string; onClose: () => void }) {
  const { values, problem, isBusy, set, submit } = useForm(async ({ words, at }) => {
    const happened = at === "" ? {} : { conversation_time: new Date(at).toISOString() };
    await api("POST", path, { raw_entry: words, role: "user", idempotency_key: newKey(), ...happened });
    reportChange(texts().entryAdded);
  }, onClose);
  return (
    <Dialog
      title={texts().newEntry}
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{texts().cancel}</Button>
          <Button kind="primary" disabled={isBusy || values.words.trim() === ""} onPress={() => void submit()}>
            {texts().add}
          </Button>
        </>
      }
    >
      <label class="field">
        {texts().text}
        <textarea class="input" rows={5} value={values.words} onInput={set("words")} autofocus />
      </label>
      <label class="field">
        {texts().dateAndTimeDefault}
        <input class="input" type="datetime-local" value={values.at} onInput={set("at")} />
      </label>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
