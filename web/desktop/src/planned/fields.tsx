/** Fields of the form, with their labels. */

/** A choice of few. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}) {
  const { label, value, options, onChange } = props;
  return (
    <label class="field">
      {label}
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map(([name, shown]) => (
          <option key={name} value={name}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A date and a time. */
export function DateAndTime({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <label class="field">
      {label}
      <input
        class="input"
        type="datetime-local"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** A text in the font of code. */
export function Text({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <label class="field">
      {label}
      <input
        class="input planned-code"
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** A number. */
export function Amount(props: { label: string; value: string; least?: string; onChange: (value: string) => void }) {
  const { label, value, least = "1", onChange } = props;
  return (
    <label class="field">
      {label}
      <input
        class="input"
        type="number"
        min={least}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
