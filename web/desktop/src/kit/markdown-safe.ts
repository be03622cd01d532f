/** Which links and images Markdown may contain, and helpers for its text. */
import { addressOf } from "./address.ts";
import type { CitationToken } from "./markdown-blocks.ts";

const ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const ARTIFACTS = "/api/v1/artifacts/";

/**
 * The target of an allowed link: a web address, an e-mail address, or an artifact of the session.
 */
export function linkOf(href: string): string | undefined {
  const artifact = artifactOf(href);
  if (artifact !== undefined) return artifact;
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return undefined;
  }
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}

/**
 * The source of an allowed image: inline data or an artifact. Remote images would tell their host
 * that they are being viewed.
 */
export function pictureOf(href: string): string | undefined {
  if (/^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i.test(href)) return href;
  return artifactOf(href);
}

function artifactOf(href: string): string | undefined {
  const id = href.startsWith(ARTIFACTS) ? href.slice(ARTIFACTS.length) : /^artifact:(.+)$/.exec(href)?.[1];
  return id !== undefined && ID.test(id) ? addressOf(`${ARTIFACTS}${id}`) : undefined;
}

/** Whether a token is a citation. */
export function isCitation(token: { type: string }): token is CitationToken {
  return token.type === "citation";
}

/** The marks within one pair of brackets: `1, 2` are two. */
export function marksWithin(inside: string): string[] {
  return inside.split(/[,;]/).map((part) => part.trim());
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Decodes HTML entities such as `&amp;`, which Markdown allows too. */
export function unescapeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[String(name)] ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A text without Markdown syntax, for screen readers and previews. */
export function plainText(text: string): string {
  return text
    .replace(/^\s*(```|~~~).*$/gm, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(#{1,6}|>|[-*+]|\d+[.)])\s+/gm, "")
    .replace(/(\*\*|__|~~|`)/g, "")
    .replace(/(^|\s)[*_](\S(?:[^*_\n]*\S)?)[*_](?=\W|$)/g, "$1$2")
    .replace(/^\|?[\s:|-]+\|?$/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}
