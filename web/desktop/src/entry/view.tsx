/** The door: shown to whoever is not in. */
import { useState } from "preact/hooks";
import { comeIn, entry, tryWith } from "../house/entry.ts";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/pieces.tsx";
import mark from "../icon.svg";
import "./entry.css";

/** Asks for the token, and says where it is. */
export function EntryView() {
  const [token, setToken] = useState("");
  const [isTrying, setTrying] = useState(false);
  const now = entry.value;
  if (now.state === "away") return <Away />;
  const submit = async (event: Event) => {
    event.preventDefault();
    setTrying(true);
    await tryWith({ token: token.trim() });
    setTrying(false);
  };
  return (
    <main class="entry">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <img src={mark} alt="" width="48" height="48" />
        <h1>Welcome to Dwell</h1>
        <p>
          Open the link that Dwell printed when it started, or run <code>dwell open</code> on its machine for a new one.
        </p>
        {now.state === "out" && now.problem && (
          <Notice tone="danger" role="alert">
            <p>{now.problem}</p>
            {now.hint && <p class="hint">{now.hint}</p>}
          </Notice>
        )}
        <label class="field">
          Or paste your token: it is in the file <code>token</code> of the data folder
          <input
            class="input"
            type="password"
            name="token"
            autocomplete="current-password"
            spellcheck={false}
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <Button kind="primary" type="submit" disabled={isTrying}>
          Come in
        </Button>
      </form>
    </main>
  );
}

function Away() {
  return (
    <main class="entry">
      <div class="card">
        <img src={mark} alt="" width="48" height="48" />
        <h1>Dwell is not there</h1>
        <p>The server at {location.host} does not answer. Start it, and this page goes on.</p>
        <Button kind="primary" icon="retry" onPress={() => void comeIn()}>
          Try again
        </Button>
      </div>
    </main>
  );
}
