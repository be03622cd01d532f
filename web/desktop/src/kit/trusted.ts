/**
 * The page's one Trusted Types policy. The content security policy allows a policy of this name and
 * no other, so that no script can make one of its own. Markup is passed through, since only
 * `purify.ts` hands it over, after it is sanitized. Of all addresses of scripts, it accepts that of
 * the service worker alone.
 */
import { addressOf } from "./address.ts";

const NAME = "dompurify";
const WORKER = "/service-worker.js";

type Rules = { createHTML: (html: string) => string; createScriptURL: (address: string) => string };
type Factory = { createPolicy: (name: string, rules: Rules) => Rules };

const rules: Rules = {
  createHTML: (html) => html,
  createScriptURL: (address) => {
    if (address === addressOf(WORKER)) return address;
    throw new TypeError(`${address} is no script of this page`);
  },
};

const { trustedTypes } = globalThis as { trustedTypes?: Factory };

/** The policy; undefined where the browser has no Trusted Types. */
export const policy: Rules | undefined = trustedTypes?.createPolicy(NAME, rules);

/** The address of the service worker, as browsers with Trusted Types want it. */
export function workerAddress(): string {
  return (policy ?? rules).createScriptURL(addressOf(WORKER));
}
