/** The tokens section of the settings: list, create, revoke. */
import { useEffect, useState } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { exactTime } from "../kit/format.ts";
import { Badge, ErrorNotice } from "../kit/pieces.tsx";
import {
  createToken,
  describeToken,
  LIFETIMES,
  loadTokens,
  revokeToken,
  type Scope,
  SCOPES,
  tokens,
} from "./tokens-store.ts";
import "./tokens.css";

/** The section. It is empty for a browser that may not manage tokens. */
export function Tokens() {
  const { isBusy, problem, run } = useAttempt();
  useEffect(() => {
    // A browser that is signed in with a lesser token is refused; the settings are complete without.
    loadTokens().catch(() => undefined);
  }, []);
  const list = tokens.value;
  if (list === undefined) return null;
  const revoke = async (id: string, name: string) => {
    await revokeToken(id);
    announce(`Revoked ${name}`);
  };
  return (
    <section>
      <h3>Tokens</h3>
      <p class="settings-soft">
        For programs and devices that should be allowed less than you. Revoking one closes its connections.
      </p>
      {list.length > 0 && (
        <ul class="tokens-list" aria-label="Tokens">
          {list.map((view) => (
            <li key={view.token_id}>
              <span class="tokens-name">
                {view.name} <Badge>{view.scope}</Badge>
                <small>{describeToken(view, exactTime)}</small>
              </span>
              <IconButton
                icon="trash"
                small
                label={`Revoke ${view.name}`}
                disabled={isBusy}
                onPress={() => void run(() => revoke(view.token_id, view.name))}
              />
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && <ErrorNotice error={problem} />}
      <NewToken />
    </section>
  );
}

/** The form for a new token. The token itself is shown until the settings are closed. */
function NewToken() {
  const { isBusy, problem, run } = useAttempt();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("talk");
  const [days, setDays] = useState(30);
  const [made, setMade] = useState<string | undefined>();
  const create = async () => {
    setMade(await createToken(name.trim(), scope, days));
    setName("");
    announce("Token created. Copy it now: it is shown only once.");
  };
  return (
    <form
      class="tokens-form"
      aria-label="New token"
      onSubmit={(event) => {
        event.preventDefault();
        void run(create);
      }}
    >
      <label>
        Name
        <input
          class="input"
          value={name}
          maxLength={100}
          required
          placeholder="Kitchen tablet"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        It may
        <select class="input" value={scope} onChange={(event) => setScope(event.currentTarget.value as Scope)}>
          {SCOPES.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Valid for
        <select class="input" value={String(days)} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {LIFETIMES.map(({ days: count, label }) => (
            <option key={count} value={String(count)}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <Button type="submit" icon="plus" disabled={isBusy || name.trim() === ""}>
        Create token
      </Button>
      {made !== undefined && (
        <label>
          The new token, shown only once
          <input class="input" readOnly value={made} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </form>
  );
}
