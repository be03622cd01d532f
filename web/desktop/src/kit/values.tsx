/** Arguments and results as a person reads them: names and values, whole; the JSON as it is in a fold. */
import { isRecord, plainValue } from "./value-words.ts";
import "./values.css";

/** A value: an object as a list of names and values, a list as a list. */
export function Values({ value }: { value: unknown }) {
  if (isRecord(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return <span class="values-none">nothing</span>;
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
    if (value.length === 0) return <span class="values-none">none</span>;
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

/** The JSON as it is, folded away. */
export function JsonFold({ value, label = "As it is sent (JSON)" }: { value: unknown; label?: string }) {
  return (
    <details class="values-fold">
      <summary>{label}</summary>
      <pre class="scroll" tabIndex={0} role="region" aria-label={label}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </details>
  );
}
