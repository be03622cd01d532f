/** A search box; `label` is its accessible name. */
import { Icon } from "./icon.tsx";

type Props = {
  label: string;
  placeholder: string;
  value: string;
  onChange: (words: string) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  class?: string;
};

/** A search input with an icon. */
export function SearchBox({ label, placeholder, value, onChange, onKeyDown, class: more = "" }: Props) {
  return (
    <label class={`search-box ${more}`}>
      <span class="unseen">{label}</span>
      <Icon name="search" small />
      <input
        class="input"
        type="search"
        placeholder={placeholder}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        {...(onKeyDown && { onKeyDown })}
      />
    </label>
  );
}
