/** Runs HTML from an answer in a window: a frame without an origin, without network. */
import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { frameAddress, messageOf } from "./frame.ts";
import { texts } from "../languages/kit.ts";
import "./run-html.css";

/** The window. */
export function RunHtml({ html, onClose }: { html: string; onClose: () => void }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const hear = (event: MessageEvent<unknown>) => {
      const target = frame.current?.contentWindow;
      if (!target || event.source !== target || messageOf(event)?.type !== "ready") return;
      removeEventListener("message", hear);
      // A frame without an origin can only be addressed by `*`.
      target.postMessage({ dwell: 1, type: "run", html }, "*");
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, [html]);
  return (
    <Dialog title={texts().runningHtml} class="run-html" onClose={onClose}>
      <p class="run-html-about">{texts().itRunsApartReaches}</p>
      <iframe
        ref={frame}
        title={texts().thePageThatCode}
        sandbox="allow-scripts"
        referrerpolicy="no-referrer"
        src={frameAddress("run")}
      />
    </Dialog>
  );
}
