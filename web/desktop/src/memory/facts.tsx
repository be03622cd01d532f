/** The facts tab: statements extracted from conversations, with their validity. */
import { useState } from "preact/hooks";
import { dwell } from "../store/connection.ts";
import { Button } from "../kit/button.tsx";
import { Badge, EmptyState, Tabs } from "../kit/pieces.tsx";
import { askCorrect, askForget } from "./dialogs.tsx";
import { History } from "./history.tsx";
import { usePages } from "./load.ts";
import { PagedList, SourceLine } from "./pieces.tsx";
import { fromFound, ownWords, type MemoryItem, confidenceLabel, validity } from "./words.ts";
import { texts } from "../languages/memory.ts";

const PAGE = 40;

/** The facts tab. */
export function FactsTab() {
  const [which, setWhich] = useState<"current" | "all">("current");
  const pages = usePages<MemoryItem>(which, async (cursor) => {
    const client = await dwell();
    const page = await client.request("memory.get", {
      levels: ["fact"],
      history: which === "all",
      limit: PAGE,
      cursor,
    });
    return { items: (page.items ?? []).map(fromFound), next: page.next_cursor };
  });
  return (
    <>
      <div class="memory-lead">
        <p>{texts().extractedFromYourMessages}</p>
        <Tabs
          label={texts().filter}
          tabs={[
            { id: "current", label: texts().current },
            { id: "all", label: texts().all },
          ]}
          value={which}
          onChange={setWhich}
        />
      </div>
      <PagedList
        pages={pages}
        label={texts().facts}
        nothing={
          <EmptyState icon="memory" title={texts().noFactsYet}>
            {texts().factsAreExtractedAutomatically}
          </EmptyState>
        }
        render={(fact) => <FactItem key={fact.id} fact={fact} />}
      />
    </>
  );
}

function FactItem({ fact }: { fact: MemoryItem }) {
  const [isOpen, setIsOpen] = useState(false);
  const { key = "", value, text, from, until, confidence, source, at } = fact;
  const isPast = until !== undefined;
  const words = ownWords(fact);
  return (
    <li class={`card memory-card ${isPast ? "past" : ""}`}>
      <div class="memory-item">
        <div class="memory-item-main">
          <p class="memory-key">{key}</p>
          <p class="memory-value">{value ?? text}</p>
          {words !== undefined && <p class="memory-words">{texts().quoted(words)}</p>}
          <p class="memory-meta">
            <Badge tone={isPast ? undefined : "success"}>{validity(from, until)}</Badge>
            {confidence !== undefined && <span>{confidenceLabel(confidence)}</span>}
            <SourceLine source={source} at={at} />
            {fact.isUntrusted && <Badge tone="warning">{texts().untrusted}</Badge>}
          </p>
        </div>
        <div class="memory-actions">
          {!isPast && (
            <Button small kind="plain" icon="edit" label={texts().correctKey(key)} onPress={() => askCorrect(fact)}>
              {texts().correct}
            </Button>
          )}
          <Button small kind="plain" icon="clock" label={texts().historyOfKey(key)} onPress={() => setIsOpen(!isOpen)}>
            {texts().history}
          </Button>
          <Button
            small
            kind="plain"
            icon="trash"
            label={texts().forgetKey(key)}
            onPress={() => askForget({ ids: [fact.id] }, `${key}: ${value ?? text}`)}
          >
            {texts().forget}
          </Button>
        </div>
      </div>
      {isOpen && (
        <History
          label={key}
          read={async () => {
            const client = await dwell();
            const { items = [] } = await client.request("memory.get", { key, history: true, limit: 100 });
            return items.filter(({ level }) => level === "fact" || level === "profile").map(fromFound);
          }}
        />
      )}
    </li>
  );
}
