/** Prepares an HTML artifact for a sandboxed frame: no scripts, no forms, nothing remote. */
import { purifyToMarkup } from "../kit/purify.ts";
import { sanitizeToBody } from "../kit/sanitize.ts";
import sheet from "./page.css?url";

/**
 * The document for the frame. The body is sanitized first; the head is added afterwards, since its
 * tags would be removed. The frame is sandboxed too, so sanitizing is the second of two safeguards.
 */
export function documentOf(html: string): string {
  const body = sanitizeToBody(html);
  for (const picture of body.querySelectorAll("img:not([src^='data:'])")) {
    picture.replaceWith(picture.getAttribute("alt") ?? "");
  }
  const look = new URL(sheet, location.href).href;
  const policy = `default-src 'none'; img-src data:; style-src ${location.origin}`;
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><link rel="stylesheet" href="${look}">`;
  // Browsers with Trusted Types accept nothing else for `srcdoc`.
  return purifyToMarkup(`<!doctype html><html><head>${head}</head><body>${body.innerHTML}</body></html>`, {
    WHOLE_DOCUMENT: true,
    ADD_TAGS: ["meta", "link"],
    ADD_ATTR: ["http-equiv", "content", "target"],
  });
}
