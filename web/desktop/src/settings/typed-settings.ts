/** The settings of model calls as they are typed. */
import type { wire } from "@dwell/client";

/** Each as text; empty where it is left to the provider. */
export type TypedSettings = { temperature: string; longest: string; window: string };

/** What is set. A window counts only if it was set, not if it is what the provider says. */
export function typedSettings({ settings, models, default: name }: wire.ModelPage): TypedSettings {
  const window = models?.find((model) => model.name === name)?.context_tokens;
  return {
    temperature: text(settings?.temperature),
    longest: text(settings?.max_output_tokens),
    window: window?.source === "set" ? text(window.value) : "",
  };
}

/** What to store. Settings that have no field stay as they are. */
export function settingsFrom(
  typed: TypedSettings,
  page: wire.ModelPage,
): Pick<wire.DefaultModelPut, "settings" | "overrides"> {
  const { temperature: _temperature, max_output_tokens: _longest, ...others } = page.settings ?? {};
  const [temperature, longest, window] = [typed.temperature, typed.longest, typed.window].map(number);
  return {
    settings: {
      ...others,
      ...(temperature !== undefined && { temperature }),
      ...(longest !== undefined && { max_output_tokens: longest }),
    },
    // Sent facts replace all that were stored for the model.
    ...(typed.window !== typedSettings(page).window && {
      overrides: window === undefined ? {} : { context_tokens: window },
    }),
  };
}

function text(value: unknown): string {
  return typeof value === "number" ? String(value) : "";
}

function number(typed: string): number | undefined {
  return typed.trim() === "" ? undefined : Number(typed);
}
