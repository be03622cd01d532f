/** The sign-in page. */
import { useState } from "preact/hooks";
import { resumeSignIn, entry, signIn } from "../store/sign-in.ts";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/pieces.tsx";
import mark from "../icon.svg";
import { texts } from "../languages/shell.ts";
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
        <h1>{texts().welcomeToDwell}</h1>
        <p>
          {texts().openLinkThatDwell} <code>dwell open</code> {texts().onServerForNew}
        </p>
        {now.state === "out" && now.problem && (
          <Notice tone="danger" role="alert">
            <p>{now.problem}</p>
            {now.hint && <p class="hint">{now.hint}</p>}
          </Notice>
        )}
        <label class="field">
          {texts().orPasteYourToken} <code>token</code> {texts().inTheDataFolder}
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
          {texts().signIn}
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
        <h1>{texts().cannotReachTheServer}</h1>
        <p>
          {texts().theServerAt} {location.host} {texts().doesNotRespondStart}
        </p>
        <Button kind="primary" icon="retry" onPress={() => void resumeSignIn()}>
          {texts().tryAgain}
        </Button>
      </div>
    </main>
  );
}
