/** The history of a key as a timeline, newest first. */
import { Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { useLoad } from "./load.ts";
import { SourceLine } from "./pieces.tsx";
import { type MemoryItem, confidenceLabel, validity } from "./words.ts";
import { texts } from "../languages/memory.ts";

/** The timeline of a key; `read` loads all its versions. */
export function History({ label, read }: { label: string; read: () => Promise<MemoryItem[]> }) {
  const { value, problem } = useLoad(label, read);
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!value) return <Spinner label={texts().loadingHistory} />;
  const items = [...value].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <ol class="memory-timeline" aria-label={texts().historyOfLabel(label)}>
      {items.map((item) => {
        const next = items.find(({ id }) => id === item.supersededBy);
        const holds = item.until === undefined;
        return (
          <li key={item.id} class={holds ? "holds" : undefined}>
            <p class="memory-timeline-value">
              {item.value ?? item.text}
              {holds && <span class="badge success">{texts().currentState}</span>}
            </p>
            <p class="memory-meta">
              <span>{validity(item.from, item.until)}</span>
              {next && <span>{texts().thenValue(next.value ?? next.text)}</span>}
              {item.confidence !== undefined && item.confidence < 1 && <span>{confidenceLabel(item.confidence)}</span>}
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
