/** Sanitizes untrusted HTML: no scripts, no event handlers, nothing that loads. */
import { purifyToMarkup, purifyToNodes } from "./purify.ts";

const TAGS =
  "a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var";
const ATTRIBUTES = "href dir span open src alt width height start reversed colspan rowspan scope lang title".split(" ");

const ALLOWED = {
  ALLOWED_TAGS: TAGS.split(" "),
  ALLOWED_ATTR: ATTRIBUTES,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
};

/** Sanitized HTML. The server applies the same rules; the page does not rely on that. */
export function sanitize(html: string): DocumentFragment {
  return hardenLinks(purifyToNodes(html, ALLOWED));
}

/** Sanitized HTML as the body of a detached document, so that its images are not loaded. */
export function sanitizeToBody(html: string): HTMLElement {
  // Styles are removed anyway, but the browser logs a policy violation for each it parses.
  const bare = html.replace(/<style[\s\S]*?<\/style\s*>/gi, "");
  return hardenLinks(new DOMParser().parseFromString(purifyToMarkup(bare, ALLOWED), "text/html").body);
}

function hardenLinks<T extends ParentNode>(root: T): T {
  for (const link of root.querySelectorAll("a[href]")) {
    link.setAttribute("target", "_blank");
    link.setAttribute("rel", "noopener noreferrer");
  }
  for (const picture of root.querySelectorAll("img:not([alt])")) picture.setAttribute("alt", "");
  return root;
}
