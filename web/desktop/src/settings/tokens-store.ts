/** The scoped tokens of the owner: what programs and other devices sign in with. */
import { signal } from "@preact/signals";
import { api } from "../store/api.ts";
import { texts } from "../languages/settings.ts";

/** What a token may do; each includes the ones before it. */
export type Scope = "read" | "talk" | "act" | "admin";

/** A token without its secret text. */
export type TokenView = {
  token_id: string;
  name: string;
  owner: string;
  scope: Scope;
  created_at: string;
  expires_at?: string;
  last_used_at?: string;
};

/** The scopes, the least first, and what each means. */
export function tokenScopes(): readonly { id: Scope; label: string }[] {
  return [
    { id: "read", label: texts().readOnly },
    { id: "talk", label: texts().talkAnswersUseTools },
    { id: "act", label: texts().actEverythingButManaging },
    { id: "admin", label: texts().everything },
  ];
}

/** How long a token is valid; 0 is without an end. */
export function lifetimes(): readonly { days: number; label: string }[] {
  return [
    { days: 7, label: texts().sevenDays },
    { days: 30, label: texts().thirtyDays },
    { days: 365, label: texts().oneYear },
    { days: 0, label: texts().untilItIsRevoked },
  ];
}

/** The tokens, oldest first; undefined until they are loaded. */
export const tokens = signal<readonly TokenView[] | undefined>(undefined);

/** Loads the tokens. */
export async function loadTokens(): Promise<void> {
  tokens.value = (await api<{ data: readonly TokenView[] }>("GET", "/api/v1/tokens")).data;
}

/** Makes a token, and returns its secret text, which the server shows this once. */
export async function createToken(name: string, scope: Scope, days: number): Promise<string> {
  const spec = { name, scope, ...(days > 0 && { expires_in_days: days }) };
  const { token } = await api<{ token: string }>("POST", "/api/v1/tokens", spec);
  await loadTokens();
  return token;
}

/** Revokes a token. */
export async function revokeToken(id: string): Promise<void> {
  await api<TokenView>("DELETE", `/api/v1/tokens/${encodeURIComponent(id)}`);
  await loadTokens();
}

/** What a list says of a token besides its name. */
export function describeToken(view: TokenView, format: (at: string) => string, now = Date.now()): string {
  const used =
    view.last_used_at === undefined ? texts().neverUsed : texts().lastUsedLastUsed(format(view.last_used_at));
  if (view.expires_at === undefined) return used;
  const isOver = new Date(view.expires_at).getTime() <= now;
  return `${used}, ${isOver ? texts().ended : texts().until} ${format(view.expires_at)}`;
}
