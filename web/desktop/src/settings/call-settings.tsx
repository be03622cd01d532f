/** How the default model is called: temperature, the longest answer, and its context window. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button } from "../kit/button.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { texts } from "../languages/settings.ts";
import { putDefaultModel } from "../store/models.ts";
import { settingsFrom, typedSettings } from "./typed-settings.ts";

type CallSettingsProps = {
  page: wire.ModelPage;
  onSaved: (overridden: readonly wire.OverriddenSetting[]) => void;
};

/** The fields. An empty one is left to the provider. */
export function CallSettings({ page, onSaved }: CallSettingsProps) {
  const { isBusy, problem, run } = useAttempt();
  const [typed, setTyped] = useState(() => typedSettings(page));
  const save = async () => {
    const { overridden } = await putDefaultModel({ model: page.default, ...settingsFrom(typed, page) });
    announce(texts().settingsSaved);
    onSaved(overridden);
  };
  const field = (name: keyof typeof typed, label: string, limits: { min: number; max?: number; step: number }) => (
    <label>
      {label}
      <input
        class="input"
        type="number"
        inputMode="decimal"
        value={typed[name]}
        placeholder={texts().asTheProviderHasIt}
        {...limits}
        onInput={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <form
      class="models-form"
      aria-label={texts().howItIsCalled}
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      {field("temperature", texts().temperature, { min: 0, max: 2, step: 0.01 })}
      {field("longest", texts().longestAnswer, { min: 1, step: 1 })}
      {field("window", texts().windowOf(page.default), { min: 512, step: 1 })}
      {problem !== undefined && <ErrorNotice error={problem} />}
      <Button type="submit" small disabled={isBusy}>
        {texts().save}
      </Button>
    </form>
  );
}
