/** Which models answer wherever none is chosen: the first, and the one that is tried if that fails. */
import type { wire } from "@dwell/client";
import { putDefaultModel } from "../store/models.ts";
import { useAttempt } from "../kit/attempt.ts";
import { ErrorNotice } from "../kit/pieces.tsx";
import { texts } from "../languages/settings.ts";

type DefaultProps = {
  page: wire.ModelPage;
  onSaved: (overridden: readonly wire.OverriddenSetting[]) => void;
};

/** Two choices; each is stored at once. */
export function DefaultModels({ page, onSaved }: DefaultProps) {
  const { isBusy, problem, run } = useAttempt();
  const fallback = page.fallbacks?.[0] ?? "";
  const store = (model: string, second: string) =>
    run(async () => {
      const fallbacks = second === "" || second === model ? [] : [second];
      onSaved((await putDefaultModel({ model, fallbacks })).overridden);
    });
  const options = page.data.map((name) => (
    <option key={name} value={name}>
      {name}
    </option>
  ));
  return (
    <div class="models-form">
      <label>
        {texts().defaultModel}
        <select
          class="input"
          value={page.default}
          disabled={isBusy}
          onChange={(event) => void store(event.currentTarget.value, fallback)}
        >
          {options}
        </select>
      </label>
      <label>
        {texts().ifItFails}
        <select
          class="input"
          value={fallback}
          disabled={isBusy}
          onChange={(event) => void store(page.default, event.currentTarget.value)}
        >
          <option value="">{texts().nothingElse}</option>
          {options}
        </select>
      </label>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </div>
  );
}
