/** An app in a sandboxed frame without origin or network. It talks to the page by messages only. */
import type { wire } from "@dwell/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf } from "../../kit/address.ts";
import { ErrorNotice } from "../../kit/pieces.tsx";
import { AppChannel } from "../apps.ts";
import { useDesktop } from "../context.ts";
import { texts } from "../../languages/windows.ts";

type Props = { window: wire.Window; app: string; params: unknown };

export function AppFrame({ window, app, params }: Props) {
  const desktop = useDesktop();
  const frame = useRef<HTMLIFrameElement>(null);
  const [problem, setProblem] = useState<unknown>();
  const talk = useRef<AppChannel | undefined>(undefined);
  const isLoaded = useRef(false);
  const { window_id: id } = window;
  const token = window.app?.token;

  useEffect(() => {
    if (token === undefined) return;
    const about = { session_id: desktop.sessionId, window_id: id, token };
    const begun = new AppChannel(id, token, {
      // A frame without an origin can only be addressed by `*`.
      post: (message) => frame.current?.contentWindow?.postMessage(message, "*"),
      ready: (manifest) => desktop.client.request("app.ready", { ...about, manifest }),
      respond: (requestId, answer) => {
        const respond = () => desktop.client.request("app.response", { ...about, request_id: requestId, ...answer });
        // What the user did before comes first: the order decides what the app shows after a reload.
        // Another tab may have answered first.
        desktop
          .flush()
          .then(respond)
          .catch(() => undefined);
      },
      report: (done) => desktop.report({ type: "app.interaction", window_id: id, token, ...done }),
      fail: setProblem,
    });
    talk.current = begun;
    const hear = (event: MessageEvent) => {
      if (event.source !== null && event.source === frame.current?.contentWindow) begun.receive(event.data);
    };
    addEventListener("message", hear);
    const unlisten = desktop.listen((event) => begun.take(event));
    if (isLoaded.current) begun.hello(params);
    return () => {
      removeEventListener("message", hear);
      unlisten();
    };
  }, [desktop, id, token]);

  useEffect(() => {
    if (isLoaded.current) talk.current?.hello(params);
  }, [params]);

  if (token === undefined) throw new Error(texts().theAppHasNo(app));
  return (
    <>
      {problem !== undefined && <ErrorNotice error={problem} />}
      <iframe
        ref={frame}
        class="desktop-app"
        title={window.title}
        sandbox="allow-scripts"
        referrerpolicy="no-referrer"
        src={addressOf(`/apps/${encodeURIComponent(app)}/index.html`)}
        onLoad={() => {
          isLoaded.current = true;
          talk.current?.hello(params);
        }}
      />
    </>
  );
}
