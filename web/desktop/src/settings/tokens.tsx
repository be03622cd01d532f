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
  lifetimes,
  loadTokens,
  revokeToken,
  type Scope,
  tokenScopes,
  tokens,
} from "./tokens-store.ts";
import { texts } from "../languages/settings.ts";
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
    announce(texts().revokedName(name));
  };
  return (
    <section>
      <h3>{texts().tokens}</h3>
      <p class="settings-soft">{texts().forProgramsAndDevices}</p>
      {list.length > 0 && (
        <ul class="tokens-list" aria-label={texts().tokens}>
          {list.map((view) => (
            <li key={view.token_id}>
              <span class="tokens-name">
                {view.name} <Badge>{view.scope}</Badge>
                <small>{describeToken(view, exactTime)}</small>
              </span>
              <IconButton
                icon="trash"
                small
                label={texts().revokeName(view.name)}
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
    announce(texts().tokenCreatedCopyNow);
  };
  return (
    <form
      class="tokens-form"
      aria-label={texts().newToken}
      onSubmit={(event) => {
        event.preventDefault();
        void run(create);
      }}
    >
      <label>
        {texts().name}
        <input
          class="input"
          value={name}
          maxLength={100}
          required
          placeholder={texts().kitchenTablet}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        {texts().itMay}
        <select class="input" value={scope} onChange={(event) => setScope(event.currentTarget.value as Scope)}>
          {tokenScopes().map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {texts().validFor}
        <select class="input" value={String(days)} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {lifetimes().map(({ days: count, label }) => (
            <option key={count} value={String(count)}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <Button type="submit" icon="plus" disabled={isBusy || name.trim() === ""}>
        {texts().createToken}
      </Button>
      {made !== undefined && (
        <label>
          {texts().theNewTokenShown}
          <input class="input" readOnly value={made} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </form>
  );
}
