/** Renders Markdown, incrementally while it streams. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Block, GrowingMarkdown } from "./markdown-blocks.ts";
import { blockNode, type RenderOptions } from "./markdown-nodes.tsx";
import "./markdown.css";

/** Blocks per group: of a long text's few hundred groups only one changes at a time. */
const GROUP = 24;
/** Rendering streamed text takes at most one part in this many of the time. */
const SHARE = 6;

type Props = { text: string; isStreaming?: boolean; cite?: RenderOptions["cite"] };

/** Shows Markdown. While `isStreaming`, only its end is parsed again. */
export function Markdown({ text, isStreaming = false, cite }: Props) {
  const renderer = useRef<MarkdownRenderer | undefined>(undefined);
  renderer.current ??= new MarkdownRenderer();
  const shown = usePaced(text, isStreaming, renderer.current);
  return <div class="prose">{renderer.current.draw(shown, isStreaming, cite)}</div>;
}

/** Renders blocks to elements. Unchanged blocks give the same elements, which Preact then skips. */
class MarkdownRenderer {
  /** How long the last rendering took, in milliseconds. */
  took = 0;
  readonly #markdown = new GrowingMarkdown();
  readonly #nodes = new Map<Block, VNode>();
  #groups: { blocks: readonly Block[]; node: VNode }[] = [];
  #sources = "";
  #cite: RenderOptions["cite"];

  draw(text: string, isGrowing: boolean, cite: RenderOptions["cite"]): VNode[] {
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
    // The last block is not cached: it is not highlighted while it grows.
    const known = isGrowing ? undefined : this.#nodes.get(block);
    if (known) return known;
    const { cite } = this;
    const node = <BlockView key={block.id} block={block} setting={{ cite, isGrowing }} />;
    if (!isGrowing) this.#nodes.set(block, node);
    return node;
  }

  /** Cached elements outlive their options, so the click handler is looked up when it is needed. */
  get cite(): RenderOptions["cite"] {
    if (!this.#cite) return undefined;
    const { marks, titles } = this.#cite;
    return { marks, titles, onOpen: (index) => this.#cite?.onOpen(index) };
  }
}

function BlockView({ block, setting }: { block: Block; setting: RenderOptions }) {
  return <>{blockNode(block.token, setting)}</>;
}

/** Throttles the rendering of streamed text by what rendering costs. */
function usePaced(text: string, isStreaming: boolean, drawing: MarkdownRenderer): string {
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
