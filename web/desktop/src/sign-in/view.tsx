/** The sign-in page. */
import { useState } from "preact/hooks";
import { resumeSignIn, entry, signIn } from "../store/sign-in.ts";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/pieces.tsx";
import mark from "../icon.svg";
import "./sign-in.css";

/** Asks for the token and says where to find it. */
export function SignInView() {
  const [token, setToken] = useState("");
  const [isTrying, setTrying] = useState(false);
  const now = entry.value;
  if (now.state === "away") return <ServerUnreachable />;
  const submit = async (event: Event) => {
    event.preventDefault();
    setTrying(true);
    await signIn({ token: token.trim() });
    setTrying(false);
  };
  return (
    <main class="entry">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <img src={mark} alt="" width="48" height="48" />
        <h1>Welcome to Dwell</h1>
        <p>
          Open the link that Dwell printed at startup, or run <code>dwell open</code> on the server for a new one.
        </p>
        {now.state === "out" && now.problem && (
          <Notice tone="danger" role="alert">
            <p>{now.problem}</p>
            {now.hint && <p class="hint">{now.hint}</p>}
          </Notice>
        )}
        <label class="field">
          Or paste your token, from the file <code>token</code> in the data folder
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
          Sign in
        </Button>
      </form>
    </main>
  );
}

function ServerUnreachable() {
  return (
    <main class="entry">
      <div class="card">
        <img src={mark} alt="" width="48" height="48" />
        <h1>Cannot reach the server</h1>
        <p>The server at {location.host} does not respond. Start it, then try again.</p>
        <Button kind="primary" icon="retry" onPress={() => void resumeSignIn()}>
          Try again
        </Button>
      </div>
    </main>
  );
}
