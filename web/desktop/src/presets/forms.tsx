/** The forms of presets: fill in a prompt, write a prompt, write a persona. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAttempt } from "../kit/attempt.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { tools } from "../store/tools.ts";
import { models } from "../talk/models.ts";
import { filled, type Persona, type Prompt, TEXT_MAX, TITLE_MAX, variablesOf } from "./items.ts";
import { savePersona, savePrompt } from "./store.ts";
import { texts } from "../languages/presets.ts";

type FormProps = { onBack: () => void; onClose: () => void };

/** Asks for the variables of a prompt. */
export function FillForm({
  prompt,
  onInsert,
  ...ends
}: FormProps & { prompt: Prompt; onInsert: (text: string) => void }) {
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const names = variablesOf(prompt.text);
  const isWhole = names.every((name) => (values.get(name) ?? "").trim() !== "");
  return (
    <FormDialog
      title={prompt.title}
      action={texts().insert}
      canAct={isWhole}
      onAct={() => {
        onInsert(filled(prompt.text, values));
        return Promise.resolve();
      }}
      {...ends}
    >
      {names.map((name) => (
        <label key={name} class="field">
          {name}
          <textarea
            class="input"
            rows={1}
            value={values.get(name) ?? ""}
            onInput={({ currentTarget: { value } }) => setValues(new Map(values).set(name, value))}
          />
        </label>
      ))}
    </FormDialog>
  );
}

/** Writes a prompt. */
export function PromptForm({ prompt, ...ends }: FormProps & { prompt: Prompt }) {
  const [title, setTitle] = useState(prompt.title);
  const [text, setText] = useState(prompt.text);
  const names = variablesOf(text);
  return (
    <FormDialog
      title={prompt.title === "" ? texts().newPrompt : texts().editPrompt}
      action={texts().save}
      canAct={title.trim() !== "" && text.trim() !== ""}
      onAct={async () => {
        await savePrompt({ id: prompt.id, title: title.trim(), text });
        ends.onBack();
      }}
      {...ends}
    >
      <label class="field">
        {texts().title}
        <input
          class="input"
          maxLength={TITLE_MAX}
          value={title}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        {texts().prompt}
        <textarea
          class="input"
          rows={6}
          maxLength={TEXT_MAX}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <p class="presets-none">
        {names.length === 0 ? texts().writeWhereYouWant : texts().asksForNames(names.join(", "))}
      </p>
    </FormDialog>
  );
}

/** Writes a persona. */
export function PersonaForm({ persona, ...ends }: FormProps & { persona: Persona }) {
  const [name, setName] = useState(persona.name);
  const [instructions, setInstructions] = useState(persona.instructions);
  const [model, setModel] = useState(persona.model ?? "");
  const [chosen, setChosen] = useState<ReadonlySet<string> | undefined>(persona.tools && new Set(persona.tools));
  const known = [...new Set([...tools.value.keys(), ...(persona.tools ?? [])])];
  const names = model === "" || models.value.includes(model) ? models.value : [model, ...models.value];
  const toggle = (tool: string) => {
    const next = new Set(chosen);
    if (!next.delete(tool)) next.add(tool);
    setChosen(next);
  };
  return (
    <FormDialog
      title={persona.name === "" ? texts().newPersona : texts().editPersona}
      action={texts().save}
      canAct={name.trim() !== ""}
      onAct={async () => {
        const kept = { id: persona.id, name: name.trim(), instructions, model: model === "" ? undefined : model };
        await savePersona({ ...kept, tools: chosen && [...chosen] });
        ends.onBack();
      }}
      {...ends}
    >
      <label class="field">
        {texts().name}
        <input
          class="input"
          maxLength={TITLE_MAX}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        {texts().instructions}
        <textarea
          class="input"
          rows={5}
          maxLength={TEXT_MAX}
          value={instructions}
          onInput={(event) => setInstructions(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        {texts().model}
        <select class="input" value={model} onChange={(event) => setModel(event.currentTarget.value)}>
          <option value="">{texts().default}</option>
          {names.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label class="presets-choice">
        <input
          type="checkbox"
          checked={chosen === undefined}
          onChange={() => setChosen(chosen ? undefined : new Set())}
        />
        {texts().allTools}
      </label>
      {chosen && (
        <fieldset class="presets-tools">
          <legend>{texts().onlyTheseTools}</legend>
          {known.map((tool) => (
            <label key={tool} class="presets-choice">
              <input type="checkbox" checked={chosen.has(tool)} onChange={() => toggle(tool)} />
              {toolInWords(tool)}
            </label>
          ))}
        </fieldset>
      )}
    </FormDialog>
  );
}

type FormDialogProps = FormProps & {
  title: string;
  action: string;
  canAct: boolean;
  onAct: () => Promise<void>;
  children: ComponentChildren;
};

function FormDialog({ title, action, canAct, onAct, onBack, onClose, children }: FormDialogProps) {
  const { isBusy, problem, run } = useAttempt();
  return (
    <Dialog
      title={title}
      class="presets-dialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onBack}>{texts().back}</Button>
          <Button kind="primary" disabled={!canAct || isBusy} onPress={() => void run(onAct)}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
