/** Presets: prompts to put into the message box, and personas to start a session with. */
import { useEffect, useState } from "preact/hooks";
import { useAttempt } from "../kit/attempt.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ErrorNotice, Spinner, Tabs } from "../kit/pieces.tsx";
import { go, place } from "../route.ts";
import { current, startSession } from "../store/sessions.ts";
import { newKey } from "../store/key.ts";
import { draftOf } from "../talk/draft.ts";
import { FillForm, PersonaForm, PromptForm } from "./forms.tsx";
import { type Persona, type Prompt, settingsOf, variablesOf } from "./items.ts";
import { openPresets } from "./open.ts";
import { deleteItem, loadPersonas, loadPrompts, personas, prompts } from "./store.ts";
import { texts } from "../languages/presets.ts";
import "./presets.css";

function tabs() {
  return [
    { id: "prompts", label: texts().prompts },
    { id: "personas", label: texts().personas },
  ] as const;
}

/** What is shown in place of the lists. */
type Form = { fill: Prompt } | { prompt: Prompt } | { persona: Persona };

const close = () => (openPresets.value = undefined);

/** Puts a text into the message box, behind what is there. */
function insert(text: string): void {
  const draft = draftOf(current.peek()?.id);
  draft.text.value = [draft.text.peek().trimEnd(), text].filter(Boolean).join("\n\n");
  close();
  if (place.peek().view !== "talk") go({ view: "talk", session: place.peek().session });
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".talk-box textarea")?.focus());
}

/** The dialog. */
export function PresetsDialog() {
  const tab = openPresets.value ?? "prompts";
  const [form, setForm] = useState<Form>();
  const { isBusy, problem, run } = useAttempt();
  useEffect(() => {
    void run(() => (tab === "prompts" ? loadPrompts() : loadPersonas()));
  }, [tab]);
  const back = () => setForm(undefined);
  if (form && "fill" in form) return <FillForm prompt={form.fill} onInsert={insert} onBack={back} onClose={close} />;
  if (form && "prompt" in form) return <PromptForm prompt={form.prompt} onBack={back} onClose={close} />;
  if (form) return <PersonaForm persona={form.persona} onBack={back} onClose={close} />;
  const add = () =>
    setForm(
      tab === "prompts"
        ? { prompt: { id: newKey(), title: "", text: "" } }
        : { persona: { id: newKey(), name: "", instructions: "" } },
    );
  const pick = (prompt: Prompt) =>
    variablesOf(prompt.text).length > 0 ? setForm({ fill: prompt }) : insert(prompt.text);
  const begin = (persona: Persona) =>
    void run(async () => {
      go({ view: "talk" });
      await startSession(settingsOf(persona));
    }).then((isDone) => isDone && close());
  const isLoading = (tab === "prompts" ? prompts.value : personas.value) === undefined;
  return (
    <Dialog
      title={texts().promptsAndPersonas}
      class="presets-dialog"
      onClose={close}
      foot={
        <Button icon="plus" onPress={add}>
          {tab === "prompts" ? texts().newPrompt : texts().newPersona}
        </Button>
      }
    >
      <Tabs label={texts().kind} tabs={tabs()} value={tab} onChange={(next) => (openPresets.value = next)} />
      {problem !== undefined && <ErrorNotice error={problem} />}
      {isLoading && isBusy && <Spinner />}
      {tab === "prompts" ? (
        <Items
          of={prompts.value ?? []}
          none={texts().promptsYouUseOften}
          about={(prompt) => [prompt.title, prompt.text]}
          onPick={pick}
          onEdit={(prompt) => setForm({ prompt })}
          onDelete={({ id }) => void run(() => deleteItem("prompts", id))}
        />
      ) : (
        <Items
          of={personas.value ?? []}
          none={texts().startSessionWithInstructions}
          about={(persona) => [persona.name, persona.instructions]}
          onPick={begin}
          onEdit={(persona) => setForm({ persona })}
          onDelete={({ id }) => void run(() => deleteItem("personas", id))}
        />
      )}
    </Dialog>
  );
}

type ItemsProps<T> = {
  of: readonly T[];
  none: string;
  about: (item: T) => [string, string];
  onPick: (item: T) => void;
  onEdit: (item: T) => void;
  onDelete: (item: T) => void;
};

function Items<T extends { id: string }>({ of, none, about, onPick, onEdit, onDelete }: ItemsProps<T>) {
  if (of.length === 0) return <p class="presets-none">{none}</p>;
  return (
    <ul class="presets-items">
      {of.map((item) => {
        const [title, text] = about(item);
        return (
          <li key={item.id}>
            <button type="button" class="presets-item" onClick={() => onPick(item)}>
              <strong>{title}</strong>
              <small>{text}</small>
            </button>
            <IconButton icon="edit" label={texts().editTitle(title)} small onPress={() => onEdit(item)} />
            <IconButton icon="trash" label={texts().deleteTitle(title)} small onPress={() => onDelete(item)} />
          </li>
        );
      })}
    </ul>
  );
}
