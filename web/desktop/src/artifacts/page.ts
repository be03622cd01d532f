/** A page that was kept, made into one that a frame can show: no scripts, no forms, nothing from elsewhere. */
import DOMPurify from "dompurify";
import { harmlessBody } from "../kit/harmless.ts";
import sheet from "./page.css?url";

/**
 * The document for a frame. What is in it is made harmless first; only then the head is put around it, whose tags would
 * otherwise be taken out. The frame has no origin and may run nothing, so that this is the second door of two.
 */
export function documentOf(html: string): string {
  const body = harmlessBody(html);
  for (const picture of body.querySelectorAll("img:not([src^='data:'])")) {
    picture.replaceWith(picture.getAttribute("alt") ?? "");
  }
  const look = new URL(sheet, location.href).href;
  const policy = `default-src 'none'; img-src data:; style-src ${location.origin}`;
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><link rel="stylesheet" href="${look}">`;
  // A browser that knows trusted types lets a frame have nothing else.
  return DOMPurify.sanitize(`<!doctype html><html><head>${head}</head><body>${body.innerHTML}</body></html>`, {
    WHOLE_DOCUMENT: true,
    RETURN_TRUSTED_TYPE: true,
    ADD_TAGS: ["meta", "link"],
    ADD_ATTR: ["http-equiv", "content", "target"],
  }) as unknown as string;
}
