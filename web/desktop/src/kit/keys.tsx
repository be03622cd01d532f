/** A list of keyboard shortcuts. */
import "./keys.css";

/** Keys pressed together, and what they do. */
export type KeyLine = readonly [keys: readonly string[], what: string];

/** The list. */
export function Keys({ lines }: { lines: readonly KeyLine[] }) {
  return (
    <dl class="keys">
      {lines.map(([keys, what]) => (
        <div key={what}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
