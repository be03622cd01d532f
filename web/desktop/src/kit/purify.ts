/** DOMPurify with the page's own Trusted Types policy. Nothing else imports DOMPurify. */
import DOMPurify, { type Config } from "dompurify";
import { policy } from "./trusted.ts";

/** What DOMPurify takes, without the policy. */
type Options = Omit<Config, "TRUSTED_TYPES_POLICY" | "RETURN_DOM_FRAGMENT" | "RETURN_TRUSTED_TYPE">;

const own = policy && { TRUSTED_TYPES_POLICY: policy as unknown as NonNullable<Config["TRUSTED_TYPES_POLICY"]> };

/** Sanitized HTML as nodes. */
export function purifyToNodes(html: string, options: Options): DocumentFragment {
  return DOMPurify.sanitize(html, { ...options, ...own, RETURN_DOM_FRAGMENT: true });
}

/** Sanitized HTML as a text that the browser accepts as markup. */
export function purifyToMarkup(html: string, options: Options): string {
  return DOMPurify.sanitize(html, { ...options, ...own, RETURN_TRUSTED_TYPE: true }) as unknown as string;
}
