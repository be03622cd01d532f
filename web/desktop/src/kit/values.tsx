/** Arguments and results as readable lists, with the raw JSON behind a disclosure. */
import { isRecord, plainValue } from "./value-words.ts";
import { texts } from "../languages/kit.ts";
import "./values.css";

/** A value: objects as name–value lists, arrays as numbered lists. */
export function Values({ value }: { value: unknown }) {
  if (isRecord(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return <span class="values-none">{texts().none}</span>;
    return (
      <dl class="values">
        {entries.map(([name, one]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Values value={one} />
            </dd>
          </div>
        ))}
      </dl>
    );
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="values-none">{texts().none}</span>;
    return (
      <ol class="values-list">
        {value.map((one: unknown, index) => (
          <li key={index}>
            <Values value={one} />
          </li>
        ))}
      </ol>
    );
  }
  const isNone = value === null || value === undefined || value === "";
  return <span class={isNone ? "values-none" : "values-text"}>{plainValue(value)}</span>;
}

/** The raw JSON, collapsed. */
export function JsonFold({ value, label = texts().rawJson }: { value: unknown; label?: string }) {
  return (
    <details class="values-fold">
      <summary>{label}</summary>
      <pre class="scroll" tabIndex={0} role="region" aria-label={label}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </details>
  );
}
