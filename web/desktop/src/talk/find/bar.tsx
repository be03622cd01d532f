/**
 * The bar that finds text in a conversation. The browser's own search finds only the turns that are
 * rendered, and the transcript renders few.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { announce } from "../../kit/announce.ts";
import { IconButton } from "../../kit/button.tsx";
import { Spinner } from "../../kit/pieces.tsx";
import type { Conversation } from "../../store/conversation.ts";
import type { Turn } from "../../store/turn.ts";
import { stepped } from "../../palette/match.ts";
import { markHits } from "./marks.ts";
import { finding } from "./open.ts";
import { type Searched, startOf, turnsWith } from "./search.ts";
import { texts } from "../../languages/sessions.ts";
import "./find.css";

/** Older turns are loaded up to this many pages. */
const PAGES_MAX = 100;

type Props = { conversation: Conversation; view: { current: HTMLElement | null }; onFind: (turn: string) => void };

/** The bar, while it is open for this conversation. */
export function FindBar(props: Props) {
  return finding.value === props.conversation.id ? <OpenBar {...props} /> : null;
}

function OpenBar({ conversation, view, onFind }: Props) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<string>();
  const box = useRef<HTMLInputElement>(null);
  const turns = conversation.turns.value;
  const isLoading = useAllTurns(conversation, query !== "");
  const hits = useMemo(() => turnsWith(turns.map(searched), query), [turns, query]);
  const at = startOf(hits, chosen);
  const hit = hits[at];
  useEffect(() => box.current?.focus(), []);
  useEffect(() => {
    if (hit !== undefined) onFind(hit);
  }, [hit]);
  useEffect(() => (view.current ? markHits(view.current, query) : undefined), [query, view.current]);
  const close = () => {
    finding.value = undefined;
    view.current?.focus();
  };
  const step = (by: number) => {
    const next = stepped(at, by, hits.length);
    const id = hits[next];
    if (id === undefined) return;
    setChosen(id);
    // The same hit again is scrolled to again.
    onFind(id);
    announce(texts().nextOfHits(next + 1, hits.length));
  };
  return (
    <div class="talk-find" role="search" aria-label={texts().findInThisConversation}>
      <input
        ref={box}
        class="input"
        type="search"
        aria-label={texts().findInThisConversation}
        placeholder={texts().find}
        spellcheck={false}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) step(event.shiftKey ? 1 : -1);
          else if (event.key === "Escape") close();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class="talk-find-count numbers" role="status">
        {query !== "" &&
          (hits.length === 0 ? (isLoading ? "…" : texts().notFound) : texts().atOfHits(at + 1, hits.length))}
      </span>
      {isLoading && <Spinner label={texts().loadingOlderMessages} />}
      <IconButton icon="up" label={texts().earlier} small disabled={hits.length === 0} onPress={() => step(-1)} />
      <IconButton icon="down" label={texts().later} small disabled={hits.length === 0} onPress={() => step(1)} />
      <IconButton icon="close" label={texts().close} small onPress={close} />
    </div>
  );
}

function searched(turn: Turn): Searched {
  const { asked, steers } = turn.state.peek();
  return { id: turn.id, texts: [asked.message, ...steers.map(({ message }) => message), turn.text.peek()] };
}

/** Loads all turns once something is looked for; returns whether there are more to come. */
function useAllTurns(conversation: Conversation, isWanted: boolean): boolean {
  const [isStopped, setStopped] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    let isOver = false;
    const load = async () => {
      for (let page = 0; page < PAGES_MAX && !isOver && conversation.hasOlder.peek(); page += 1) {
        await conversation.loadOlder();
      }
    };
    // What is loaded is searched, and the transcript says why the rest is missing.
    load()
      .catch(() => undefined)
      .finally(() => !isOver && setStopped(true));
    return () => void (isOver = true);
  }, [conversation, isWanted]);
  return isWanted && !isStopped && conversation.hasOlder.value;
}
