/** How what is kept under one key changed: a timeline, the newest first. */
import { Spinner, Trouble } from "../kit/pieces.tsx";
import { useLoaded } from "./load.ts";
import { SourceLine } from "./pieces.tsx";
import { type Remembered, sureness, validity } from "./words.ts";

/** The timeline of a key; `read` brings all that was ever stated under it. */
export function History({ label, read }: { label: string; read: () => Promise<Remembered[]> }) {
  const { value, problem } = useLoaded(label, read);
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!value) return <Spinner label="Reading the history" />;
  const items = [...value].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <ol class="memory-timeline" aria-label={`How ${label} changed`}>
      {items.map((item) => {
        const next = items.find(({ id }) => id === item.supersededBy);
        const holds = item.until === undefined;
        return (
          <li key={item.id} class={holds ? "holds" : undefined}>
            <p class="memory-timeline-value">
              {item.value ?? item.text}
              {holds && <span class="badge success">holds now</span>}
            </p>
            <p class="memory-meta">
              <span>{validity(item.from, item.until)}</span>
              {next && <span>then “{next.value ?? next.text}”</span>}
              {item.confidence !== undefined && item.confidence < 1 && <span>{sureness(item.confidence)}</span>}
            </p>
            <p class="memory-meta">
              <SourceLine source={item.source} />
            </p>
          </li>
        );
      })}
    </ol>
  );
}
