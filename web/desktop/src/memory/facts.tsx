/** Facts: statements that were read off what was said, with the time in which they hold. */
import { useState } from "preact/hooks";
import { dwell } from "../house/connection.ts";
import { Button } from "../kit/button.tsx";
import { Badge, Empty, Tabs } from "../kit/pieces.tsx";
import { askCorrect, askForget } from "./ask.tsx";
import { History } from "./history.tsx";
import { usePages } from "./load.ts";
import { PagedList, SourceLine } from "./pieces.tsx";
import { fromFound, ownWords, type Remembered, sureness, validity } from "./words.ts";

const PAGE = 40;

/** The tab. */
export function FactsTab() {
  const [which, setWhich] = useState<"current" | "all">("current");
  const pages = usePages<Remembered>(which, async (cursor) => {
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
        <p>Read off your own words, and told where they fit. What contradicts an older one ends it.</p>
        <Tabs
          label="Which facts"
          tabs={[
            { id: "current", label: "Hold now" },
            { id: "all", label: "All" },
          ]}
          value={which}
          onChange={setWhich}
        />
      </div>
      <PagedList
        pages={pages}
        label="Facts"
        nothing={
          <Empty icon="memory" title="No facts yet">
            They come by themselves: say “my 5k time is 25:50” in a conversation.
          </Empty>
        }
        render={(fact) => <FactItem key={fact.id} fact={fact} />}
      />
    </>
  );
}

function FactItem({ fact }: { fact: Remembered }) {
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
          {words !== undefined && <p class="memory-words">“{words}”</p>}
          <p class="memory-meta">
            <Badge tone={isPast ? undefined : "success"}>{validity(from, until)}</Badge>
            {confidence !== undefined && <span>{sureness(confidence)}</span>}
            <SourceLine source={source} at={at} />
            {fact.isForeign && <Badge tone="warning">words from outside</Badge>}
          </p>
        </div>
        <div class="memory-actions">
          {!isPast && (
            <Button small kind="plain" icon="edit" label={`Correct ${key}`} onPress={() => askCorrect(fact)}>
              Correct
            </Button>
          )}
          <Button small kind="plain" icon="clock" label={`History of ${key}`} onPress={() => setIsOpen(!isOpen)}>
            History
          </Button>
          <Button
            small
            kind="plain"
            icon="trash"
            label={`Forget ${key}`}
            onPress={() => askForget({ ids: [fact.id] }, `${key}: ${value ?? text}`)}
          >
            Forget
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
