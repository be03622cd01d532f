/** Fields, progress bars and images in windows and questions. */
import { useId, useState } from "preact/hooks";
import { addressOf } from "../../kit/address.ts";
import { type Field } from "../fields.ts";
import { texts } from "../../languages/windows.ts";
import "./fields.css";

/** A field with its label; its value is always a string. */
export function FieldInput(props: {
  field: Field;
  value: string;
  onChange: (value: string) => void;
  onEnter?: (() => void) | undefined;
}) {
  const { field, value, onChange, onEnter } = props;
  const id = useId();
  if (field.type === "checkbox") {
    return (
      <label class="desktop-check">
        <input
          type="checkbox"
          name={field.name}
          checked={value === "true"}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
        <span>{field.label}</span>
      </label>
    );
  }
  return (
    <div class="field">
      <label for={id}>{field.label || words(field.name)}</label>
      {field.type === "select" ? (
        <select
          id={id}
          class="input"
          name={field.name}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {/* Nothing is selected until the user chooses. */}
          {value === "" && !field.options.some((option) => option.value === "") && (
            <option value="">{texts().choose}</option>
          )}
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      ) : field.multiline ? (
        <textarea
          id={id}
          class="input"
          name={field.name}
          rows={3}
          placeholder={field.placeholder}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          class="input"
          name={field.name}
          autocomplete="off"
          placeholder={field.placeholder}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing || !onEnter) return;
            event.preventDefault();
            onEnter();
          }}
        />
      )}
    </div>
  );
}

/** Turns a name into a label. */
function words(name: string): string {
  const text = name.replaceAll(/[_-]+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function Progress({ label, percent }: { label?: string | undefined; percent: number }) {
  const rounded = Math.round(percent);
  return (
    <div class="desktop-progress">
      <div>
        <span>{label ?? texts().progress}</span>
        <span class="numbers">{rounded} %</span>
      </div>
      <progress max={100} value={percent} aria-label={label || texts().progress} />
    </div>
  );
}

/** A local image: an artifact of the session, or inline data. */
export function Picture({ source, alt = "" }: { source: string; alt?: string | undefined }) {
  const [isGone, setGone] = useState(false);
  const artifact = source.startsWith("artifact:") ? source.slice("artifact:".length) : undefined;
  const isInline = /^data:image\/(?:png|jpeg|gif|webp);base64,/.test(source);
  if (isGone || (artifact === undefined && !isInline)) {
    return <p class="desktop-gone">{texts().imageGone(alt)}</p>;
  }
  const address = artifact === undefined ? source : addressOf(`/api/v1/artifacts/${encodeURIComponent(artifact)}`);
  return <img class="desktop-picture" src={address} alt={alt} onError={() => setGone(true)} />;
}
