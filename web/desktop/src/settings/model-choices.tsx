/** What the operator chooses: providers with their keys, the models that answer, and how they are called. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { removeProvider } from "../store/models.ts";
import { announce } from "../kit/announce.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button } from "../kit/button.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { CallSettings } from "./call-settings.tsx";
import { DefaultModels } from "./default-models.tsx";
import { ProviderForm } from "./provider-form.tsx";
import { texts } from "../languages/settings.ts";

/** The choices. The form is open where there is no provider yet. */
export function ModelChoices({ page }: { page: wire.ModelPage }) {
  const providers = page.providers ?? [];
  const [isAdding, setAdding] = useState(false);
  const [overridden, setOverridden] = useState<readonly wire.OverriddenSetting[]>([]);
  const { isBusy, problem, run } = useAttempt();
  const saved = (next: readonly wire.OverriddenSetting[]) => {
    setOverridden(next);
    setAdding(false);
  };
  const remove = async (name: string) => {
    setOverridden((await removeProvider(name)).overridden);
    announce(texts().providerRemoved(name));
  };
  return (
    <>
      {overridden.map(({ key, from }) => (
        <p key={key} class="models-bad" role="status">
          {texts().settingTakesPrecedence(key, from)}
        </p>
      ))}
      {problem !== undefined && <ErrorNotice error={problem} />}
      {providers.length > 0 && <DefaultModels page={page} onSaved={saved} />}
      {providers.length > 0 && <CallSettings key={page.default} page={page} onSaved={saved} />}
      {isAdding || providers.length === 0 ? (
        <>
          <ProviderForm hasDefault={providers.length > 0} onSaved={saved} />
          <p class="models-soft">{texts().orByTheEnvironment}</p>
        </>
      ) : (
        <div class="models-actions">
          <Button small icon="plus" onPress={() => setAdding(true)}>
            {texts().addProvider}
          </Button>
          {providers.map(({ name }) => (
            <Button key={name} small icon="trash" disabled={isBusy} onPress={() => void run(() => remove(name))}>
              {texts().removeProvider(name)}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}
