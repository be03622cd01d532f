/** An app in a frame of its own: it has no origin and no network, and speaks with this page by messages alone. */
import type { wire } from "@dwell/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { Trouble } from "../../kit/pieces.tsx";
import { AppTalk } from "../apps.ts";
import { useDesk } from "../context.ts";

type Props = { window: wire.Window; app: string; params: unknown };

export function AppFrame({ window, app, params }: Props) {
  const desk = useDesk();
  const frame = useRef<HTMLIFrameElement>(null);
  const [problem, setProblem] = useState<unknown>();
  const talk = useRef<AppTalk | undefined>(undefined);
  const isLoaded = useRef(false);
  const { window_id: id } = window;
  const token = window.app?.token;

  useEffect(() => {
    if (token === undefined) return;
    const about = { session_id: desk.sessionId, window_id: id, token };
    const begun = new AppTalk(id, token, {
      // A frame without an origin can be named by nothing but itself.
      post: (message) => frame.current?.contentWindow?.postMessage(message, "*"),
      ready: (manifest) => desk.client.request("app.ready", { ...about, manifest }),
      respond: (requestId, answer) => {
        // Another tab may have answered first.
        desk.client.request("app.response", { ...about, request_id: requestId, ...answer }).catch(() => undefined);
      },
      report: (done) => desk.report({ type: "app.interaction", window_id: id, token, ...done }),
      fail: setProblem,
    });
    talk.current = begun;
    const hear = (event: MessageEvent) => {
      if (event.source !== null && event.source === frame.current?.contentWindow) begun.hear(event.data);
    };
    addEventListener("message", hear);
    const unlisten = desk.listen((event) => begun.take(event));
    if (isLoaded.current) begun.hello(params);
    return () => {
      removeEventListener("message", hear);
      unlisten();
    };
  }, [desk, id, token]);

  useEffect(() => {
    if (isLoaded.current) talk.current?.hello(params);
  }, [params]);

  if (token === undefined) throw new Error(`The app ${app} has no token`);
  return (
    <>
      {problem !== undefined && <Trouble error={problem} />}
      <iframe
        ref={frame}
        class="desk-app"
        title={window.title}
        sandbox="allow-scripts"
        referrerpolicy="no-referrer"
        src={`/apps/${encodeURIComponent(app)}/index.html`}
        onLoad={() => {
          isLoaded.current = true;
          talk.current?.hello(params);
        }}
      />
    </>
  );
}
