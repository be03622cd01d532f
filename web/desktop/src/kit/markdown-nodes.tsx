/**
 * Renders Markdown tokens as elements. HTML in the text stays text, and nothing remote is loaded.
 */
import type { Token, Tokens } from "marked";
import type { ComponentChild, JSX } from "preact";
import { CodeBlock } from "./code.tsx";
import { Diagram } from "./diagram.tsx";
import { type FootnoteRefToken, type FootnoteToken, isFootnote, isFootnoteRef, isMath } from "./markdown-extras.ts";
import { isCitation, linkOf, pictureOf, plainText, unescapeEntities } from "./markdown-safe.ts";
import { MarkdownTable, type TableCell } from "./markdown-table.tsx";
import { Formula } from "./math.tsx";
import { texts } from "../languages/kit.ts";

/** Options for rendering a text. */
export type RenderOptions = {
  /**
   * The citation marks in numeric order, the titles of their sources, and the handler that opens
   * one.
   */
  cite?: { marks: readonly string[]; titles: readonly string[]; onOpen: (index: number) => void } | undefined;
  /** Whether the block is still growing. */
  isGrowing?: boolean;
};

/** Renders a block. */
export function blockNode(token: Token, setting: RenderOptions): ComponentChild {
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return null;
    case "heading":
      return heading(token as Tokens.Heading, setting);
    case "paragraph":
      return <p>{inlines((token as Tokens.Paragraph).tokens, setting)}</p>;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inlines(tokens, setting) : unescapeEntities(text);
    }
    case "code": {
      const { text, lang } = token as Tokens.Code;
      const [language, isGrowing] = [lang?.split(/\s/)[0] ?? "", setting.isGrowing ?? false];
      if (language === "mermaid") return <Diagram code={text} isGrowing={isGrowing} />;
      if (language === "math" || language === "latex-math") return <Formula tex={text} isBlock />;
      return <CodeBlock code={text} language={language} isGrowing={isGrowing} />;
    }
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, setting)}</blockquote>;
    case "list":
      return list(token as Tokens.List, setting);
    case "table":
      return table(token as Tokens.Table, setting);
    case "hr":
      return <hr />;
    case "html":
      return <p class="prose-raw">{token.raw.trimEnd()}</p>;
    default:
      if (isMath(token)) return <Formula tex={token.tex} isBlock={token.isBlock} />;
      return isFootnote(token) ? footnote(token, setting) : <p>{token.raw}</p>;
  }
}

function blocks(tokens: readonly Token[], setting: RenderOptions): ComponentChild[] {
  return tokens.map((token) => blockNode(token, setting));
}

/** Headings of a text are below those of the page. */
function heading({ depth, tokens }: Tokens.Heading, setting: RenderOptions): JSX.Element {
  const words = inlines(tokens, setting);
  // Levels 1 and 2 share one level: most answers start with level 2, and none may be skipped.
  if (depth <= 2) return <h3 class={depth === 1 ? "prose-h1" : "prose-h2"}>{words}</h3>;
  if (depth === 3) return <h4 class="prose-h3">{words}</h4>;
  return <h5 class="prose-h3">{words}</h5>;
}

function list({ ordered, start, items }: Tokens.List, setting: RenderOptions): JSX.Element {
  const lines = items.map((item, index) => {
    const last = index === items.length - 1;
    const inside = blocks(item.tokens, { ...setting, isGrowing: (setting.isGrowing ?? false) && last });
    if (!item.task) return <li key={index}>{inside}</li>;
    return (
      <li key={index} class="prose-task">
        <input
          type="checkbox"
          checked={item.checked ?? false}
          disabled
          aria-label={item.checked ? texts().done : texts().toDo}
        />
        <div>{inside}</div>
      </li>
    );
  });
  const isTasks = items.length > 0 && items.every(({ task }) => task);
  if (ordered) return <ol start={typeof start === "number" ? start : 1}>{lines}</ol>;
  return <ul {...(isTasks ? { class: "prose-tasks" } : {})}>{lines}</ul>;
}

function table({ header, rows }: Tokens.Table, setting: RenderOptions): JSX.Element {
  const cell = ({ text, align, tokens }: Tokens.TableCell): TableCell => ({
    text: unescapeEntities(plainText(text)),
    align,
    shown: inlines(tokens, setting),
  });
  const isGrowing = setting.isGrowing ?? false;
  return <MarkdownTable header={header.map(cell)} rows={rows.map((row) => row.map(cell))} isGrowing={isGrowing} />;
}

/** A footnote, where it is written; its mark leads back to where it is referred to. */
function footnote({ label, tokens }: FootnoteToken, setting: RenderOptions): JSX.Element {
  return (
    <div class="prose-footnote" data-footnote={label} tabIndex={-1}>
      <button
        type="button"
        aria-label={texts().footnoteBackText(label)}
        onClick={(event) => lead(event.currentTarget, "data-footnote-ref", label)}
      >
        {label}
      </button>
      <div>{inlines(tokens, setting)}</div>
    </div>
  );
}

function footnoteRef({ label }: FootnoteRefToken): JSX.Element {
  return (
    <sup class="prose-mark">
      <button
        type="button"
        data-footnote-ref={label}
        aria-label={texts().footnoteLabel(label)}
        onClick={(event) => lead(event.currentTarget, "data-footnote", label)}
      >
        {label}
      </button>
    </sup>
  );
}

/** Moves to the other end of a footnote, within the same text: ids would repeat on the page. */
function lead(from: HTMLElement, attribute: string, label: string): void {
  const others = from.closest(".prose")?.querySelectorAll<HTMLElement>(`[${attribute}]`) ?? [];
  const found = [...others].find((element) => element.getAttribute(attribute) === label);
  found?.scrollIntoView({ block: "nearest" });
  found?.focus();
}

function inlines(tokens: readonly Token[] | undefined, setting: RenderOptions): ComponentChild[] {
  return (tokens ?? []).map((token) => inline(token, setting));
}

function inline(token: Token, setting: RenderOptions): ComponentChild {
  switch (token.type) {
    case "strong":
      return <strong>{inlines(token.tokens, setting)}</strong>;
    case "em":
      return <em>{inlines(token.tokens, setting)}</em>;
    case "del":
      return <del>{inlines(token.tokens, setting)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token as Tokens.Link, setting);
    case "image":
      return picture(token as Tokens.Image);
    case "escape":
      return (token as Tokens.Escape).text;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inlines(tokens, setting) : unescapeEntities(text);
    }
    case "checkbox":
      return null;
    default:
      if (isMath(token)) return <Formula tex={token.tex} isBlock={false} />;
      if (isFootnoteRef(token)) return footnoteRef(token);
      return isCitation(token) ? marks(token.marks, token.raw, setting) : token.raw;
  }
}

function link({ href, title, tokens, text }: Tokens.Link, setting: RenderOptions): ComponentChild {
  const to = linkOf(href);
  const words = tokens.length > 0 ? inlines(tokens, setting) : text;
  if (to === undefined) return <span title={href}>{words}</span>;
  return (
    <a href={to} target="_blank" rel="noreferrer noopener" {...(title ? { title } : {})}>
      {words}
    </a>
  );
}

function picture({ href, text }: Tokens.Image): ComponentChild {
  const source = pictureOf(href);
  if (source !== undefined) return <img class="prose-image" src={source} alt={text} loading="lazy" />;
  const to = linkOf(href);
  if (to === undefined) return text;
  return (
    <a href={to} target="_blank" rel="noreferrer noopener">
      {text || href}
    </a>
  );
}

function marks(named: readonly string[], raw: string, { cite }: RenderOptions): ComponentChild {
  if (!cite) return raw;
  const numbers = named.map((mark) => cite.marks.indexOf(mark));
  if (numbers.includes(-1)) return raw;
  return (
    <sup class="prose-mark">
      {numbers.map((index) => {
        const title = cite.titles[index] ?? "";
        return (
          <button
            key={index}
            type="button"
            title={title}
            aria-label={texts().sourceIndexTitle(index + 1, title)}
            onClick={() => cite.onOpen(index)}
          >
            {index + 1}
          </button>
        );
      })}
    </sup>
  );
}
