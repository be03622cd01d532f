/** A memory item with its source, score and actions. */
import type { wire } from "@dwell/client";
import { Button } from "../kit/button.tsx";
import { Badge } from "../kit/pieces.tsx";
import { askCorrect, askForget } from "./dialogs.tsx";
import { SourceLine } from "./pieces.tsx";
import { ScoreBars } from "./score.tsx";
import { levelNames, ownWords, type MemoryItem, validity } from "./words.ts";
import { texts } from "../languages/memory.ts";

/** Whether an item is a statement with key and value; others show their text. */
function isStatement({ level }: MemoryItem): boolean {
  return level === "profile" || level === "fact";
}

/** An item in a list of results. */
export function FoundItem({ item, score }: { item: MemoryItem; score?: wire.Score | null | undefined }) {
  const { id, level, key, value, text, from, until, source, at } = item;
  const name = key ?? (text.length > 40 ? `${text.slice(0, 40)}…` : text);
  const words = ownWords(item);
  const canChange = id !== "" && level !== "pin";
  const held = isStatement(item) || until !== undefined ? validity(from, until) : "";
  return (
    <li class={`card memory-card memory-found ${until === undefined ? "" : "past"}`}>
      <div class="memory-item-main">
        <p class="memory-meta">
          <Badge tone="accent">{levelNames()[level]}</Badge>
          {key !== undefined && <span class="memory-key">{key}</span>}
          {item.role === "assistant" && <span>{texts().answered}</span>}
          {held !== "" && <span>{held}</span>}
        </p>
        <p class={isStatement(item) ? "memory-value" : "memory-verbatim"}>{value ?? text}</p>
        {words !== undefined && <p class="memory-words">{texts().quoted(words)}</p>}
        <p class="memory-meta">
          {(level !== "context" || source?.session_id) && <SourceLine source={source} at={at || undefined} />}
          {item.isUntrusted && <Badge tone="warning">{texts().untrusted}</Badge>}
        </p>
        {canChange && (
          <div class="memory-actions">
            {until === undefined && level !== "context" && (
              <Button small kind="plain" icon="edit" label={texts().correctName(name)} onPress={() => askCorrect(item)}>
                {texts().correct}
              </Button>
            )}
            <Button
              small
              kind="plain"
              icon="trash"
              label={texts().forgetName(name)}
              onPress={() => askForget({ ids: [id] }, key === undefined ? text : `${key}: ${value ?? text}`)}
            >
              {texts().forget}
            </Button>
          </div>
        )}
      </div>
      {score && <ScoreBars score={score} />}
    </li>
  );
}
