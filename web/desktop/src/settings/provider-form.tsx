/** Sets up a provider of models: its key or address, a test with a real answer, and the model that answers. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { putProvider, tryProvider } from "../store/models.ts";
import { announce } from "../kit/announce.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button } from "../kit/button.tsx";
import { duration } from "../kit/format.ts";
import { ErrorNotice } from "../kit/pieces.tsx";
import { texts } from "../languages/settings.ts";
import { type ProviderKind, neededOf, providerKinds, wireName } from "./provider-kinds.ts";

type FormProps = {
  /** Whether another model answers already. */
  hasDefault: boolean;
  onSaved: (overridden: readonly wire.OverriddenSetting[]) => void;
};

/** The form. Nothing is stored before the provider has answered. */
export function ProviderForm({ hasDefault, onSaved }: FormProps) {
  const { isBusy, problem, run } = useAttempt();
  const [kind, setKind] = useState<ProviderKind>("openai");
  const [key, setKey] = useState("");
  const [address, setAddress] = useState("");
  const [tried, setTried] = useState<wire.ProviderTried | undefined>();
  const [model, setModel] = useState("");
  const [isDefault, setDefault] = useState(!hasDefault);
  const needed = neededOf(kind);
  const account = {
    ...(key.trim() !== "" && needed.key !== "none" && { api_key: key.trim() }),
    ...(address.trim() !== "" && needed.address !== "none" && { address: address.trim() }),
  };
  const isComplete =
    (needed.key !== "required" || key.trim() !== "") && (needed.address !== "required" || address.trim() !== "");
  /** What was tried no longer holds. */
  const changed = () => setTried(undefined);
  const test = async () => {
    const found = await tryProvider({
      provider: wireName(kind),
      ...account,
      ...(model.trim() !== "" && { model: model.trim() }),
    });
    setTried(found);
    setModel(found.model.slice(found.model.indexOf("/") + 1));
    announce(texts().modelAnsweredAfter(found.model, duration(found.answered_ms)));
  };
  const save = async () => {
    const { overridden } = await putProvider(wireName(kind), {
      ...account,
      model: model.trim(),
      is_default: isDefault,
    });
    announce(texts().nameIsSetUp(wireName(kind)));
    onSaved(overridden);
  };
  return (
    <form
      class="models-form"
      aria-label={texts().setUpProvider}
      onSubmit={(event) => {
        event.preventDefault();
        void run(tried ? save : test);
      }}
    >
      <label>
        {texts().provider}
        <select
          class="input"
          value={kind}
          onChange={(event) => {
            setKind(event.currentTarget.value as ProviderKind);
            setModel("");
            changed();
          }}
        >
          {providerKinds().map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {needed.address !== "none" && (
        <label>
          {texts().address}
          <input
            class="input"
            value={address}
            inputMode="url"
            spellcheck={false}
            required={needed.address === "required"}
            placeholder={needed.example}
            onInput={(event) => {
              setAddress(event.currentTarget.value);
              changed();
            }}
          />
        </label>
      )}
      {needed.key !== "none" && (
        <label>
          {texts().apiKey}
          <input
            class="input"
            type="password"
            autoComplete="off"
            value={key}
            required={needed.key === "required"}
            onInput={(event) => {
              setKey(event.currentTarget.value);
              changed();
            }}
          />
          <small>{texts().keyStaysOnServer}</small>
        </label>
      )}
      {tried && <TriedModel tried={tried} model={model} onChange={setModel} />}
      {tried && (
        <label class="models-check">
          <input type="checkbox" checked={isDefault} onChange={(event) => setDefault(event.currentTarget.checked)} />
          {texts().answersWhereNoneChosen}
        </label>
      )}
      {problem !== undefined && <ErrorNotice error={problem} />}
      <Button type="submit" kind="primary" disabled={isBusy || !isComplete}>
        {tried ? texts().save : isBusy ? texts().testing : texts().test}
      </Button>
    </form>
  );
}

type TriedProps = { tried: wire.ProviderTried; model: string; onChange: (model: string) => void };

/** That it answered, and its models to choose from; a name to type where it lists none. */
function TriedModel({ tried, model, onChange }: TriedProps) {
  return (
    <>
      <p class="models-good" role="status">
        {texts().modelAnsweredAfter(tried.model, duration(tried.answered_ms))}
      </p>
      <label>
        {texts().model}
        {tried.models.length > 0 ? (
          <select class="input" value={model} onChange={(event) => onChange(event.currentTarget.value)}>
            {tried.models.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        ) : (
          <input class="input" value={model} required onInput={(event) => onChange(event.currentTarget.value)} />
        )}
      </label>
    </>
  );
}
