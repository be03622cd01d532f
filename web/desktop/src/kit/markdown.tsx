/** Text with markdown in it. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Block, GrowingMarkdown } from "./markdown-blocks.ts";
import { blockNode, type Setting } from "./markdown-nodes.tsx";
import "./markdown.css";

/** Blocks that are drawn together: a long text is a few hundred groups, of which one changes. */
const GROUP = 24;
/** Of the time, at most one part in this many goes to drawing words that are coming. */
const SHARE = 6;

type Props = { text: string; isStreaming?: boolean; cite?: Setting["cite"] };

/** Shows markdown. While `isStreaming`, only the end of it is read anew. */
export function Markdown({ text, isStreaming = false, cite }: Props) {
  const drawn = useRef<Drawing | undefined>(undefined);
  drawn.current ??= new Drawing();
  const shown = usePaced(text, isStreaming, drawn.current);
  return <div class="prose">{drawn.current.draw(shown, isStreaming, cite)}</div>;
}

/** What is drawn; what has not changed is handed over as the same elements, which are then left alone. */
class Drawing {
  /** What the last drawing took, in milliseconds. */
  took = 0;
  readonly #markdown = new GrowingMarkdown();
  readonly #nodes = new Map<Block, VNode>();
  #groups: { blocks: readonly Block[]; node: VNode }[] = [];
  #sources = "";
  #cite: Setting["cite"];

  draw(text: string, isGrowing: boolean, cite: Setting["cite"]): VNode[] {
    const began = performance.now();
    this.#cite = cite;
    const sources = cite ? [...cite.marks, ...cite.titles].join("\n") : "";
    if (sources !== this.#sources) this.#nodes.clear();
    this.#sources = sources;
    const normal = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    const blocks = this.#markdown.read(normal, isGrowing, cite?.marks ?? []);
    const kept = new Set(blocks);
    for (const block of this.#nodes.keys()) if (!kept.has(block)) this.#nodes.delete(block);
    this.#groups = this.#group(blocks, isGrowing);
    this.took = performance.now() - began;
    return this.#groups.map(({ node }) => node);
  }

  #group(blocks: readonly Block[], isGrowing: boolean) {
    const groups: { blocks: readonly Block[]; node: VNode }[] = [];
    for (let from = 0; from < blocks.length; from += GROUP) {
      const inside = blocks.slice(from, from + GROUP);
      const before = this.#groups[groups.length];
      const isLast = from + GROUP >= blocks.length;
      const isSame =
        !isLast && before?.blocks.length === inside.length && inside.every((block, at) => block === before.blocks[at]);
      groups.push(isSame ? before : { blocks: inside, node: this.#groupNode(inside, from, isGrowing && isLast) });
    }
    return groups;
  }

  #groupNode(blocks: readonly Block[], from: number, isGrowing: boolean): VNode {
    const lines = blocks.map((block, index) => this.#node(block, isGrowing && index === blocks.length - 1));
    return (
      <div key={from} class="prose-group">
        {lines}
      </div>
    );
  }

  #node(block: Block, isGrowing: boolean): VNode {
    // The last block is drawn anew: it has no colours while it grows.
    const known = isGrowing ? undefined : this.#nodes.get(block);
    if (known) return known;
    const { cite } = this;
    const node = <Piece key={block.id} block={block} setting={{ cite, isGrowing }} />;
    if (!isGrowing) this.#nodes.set(block, node);
    return node;
  }

  /** Elements outlive the setting they were made with; what they open is looked up when it is opened. */
  get cite(): Setting["cite"] {
    if (!this.#cite) return undefined;
    const { marks, titles } = this.#cite;
    return { marks, titles, onOpen: (index) => this.#cite?.onOpen(index) };
  }
}

function Piece({ block, setting }: { block: Block; setting: Setting }) {
  return <>{blockNode(block.token, setting)}</>;
}

/** Words that come many times a second, drawn as often as drawing them allows. */
function usePaced(text: string, isStreaming: boolean, drawing: Drawing): string {
  const [shown, setShown] = useState(text);
  const latest = useRef(text);
  const timer = useRef<number | undefined>(undefined);
  latest.current = text;
  const isSlow = isStreaming && drawing.took > 3;
  useEffect(() => {
    if (!isSlow || timer.current !== undefined || shown === latest.current) return;
    timer.current = window.setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, drawing.took * SHARE);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return isSlow ? shown : text;
}
