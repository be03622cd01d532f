/**
 * A whole conversation for the print dialog, which can save it as PDF. The transcript itself renders
 * only what is near the view.
 */
import { useEffect, useRef } from "preact/hooks";
import { exactTime } from "../../kit/format.ts";
import { Markdown } from "../../kit/markdown.tsx";
import { splitFiles } from "../files.ts";
import { imageUrl } from "../user-message.tsx";
import { printed } from "./open.ts";
import { texts } from "../../languages/dialogs.ts";
import "./print.css";

/** Formulas, diagrams and colours of code come a little later; this long without a change is enough. */
const QUIET_MS = 500;
const QUIET_MAX_MS = 8_000;

/** The sheet. It opens the print dialog once it is complete, and goes away after it. */
export function PrintSheet() {
  const sheet = useRef<HTMLElement>(null);
  const shown = printed.value;
  useEffect(() => {
    const element = sheet.current;
    if (!shown || !element) return;
    let isOver = false;
    void settled(element).then(() => {
      if (isOver) return;
      const before = document.title;
      // Browsers name the file after the title.
      document.title = shown.title;
      print();
      document.title = before;
      printed.value = undefined;
    });
    return () => void (isOver = true);
  }, [shown]);
  if (!shown) return null;
  return (
    <article class="print-sheet" ref={sheet} aria-hidden="true" inert>
      <h1>{shown.title}</h1>
      {shown.turns.map(({ turn_id: id, request, response, text, created_at: at, error }) => {
        const { words, files } = splitFiles(request.message);
        const answer = response?.message ?? text;
        return (
          <section key={id}>
            <p class="print-who">
              {texts().you} {exactTime(at)}
            </p>
            {(request.images ?? []).map((image, index) => {
              const address = imageUrl(image);
              return address === undefined ? null : <img key={index} src={address} alt="" />;
            })}
            {words !== "" && <p class="print-message">{words}</p>}
            {files.map(({ name }, index) => (
              <p key={index} class="print-who">
                {texts().file} {name}
              </p>
            ))}
            {answer !== "" && <Markdown text={answer} />}
            {error && <p class="print-who">{error.message}</p>}
            <Sources of={response?.citations ?? []} />
          </section>
        );
      })}
    </article>
  );
}

function Sources({ of }: { of: readonly { source: string; title?: string | null | undefined }[] }) {
  if (of.length === 0) return null;
  return (
    <ol class="print-sources">
      {of.map(({ source, title }, index) => (
        <li key={index}>{title ? `${title}: ${source}` : source}</li>
      ))}
    </ol>
  );
}

/** Waits until nothing in an element changes any more, within a bound. */
function settled(element: Element): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      watch.disconnect();
      clearTimeout(timer);
      clearTimeout(end);
      resolve();
    };
    const watch = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(done, QUIET_MS);
    });
    let timer = setTimeout(done, QUIET_MS);
    const end = setTimeout(done, QUIET_MAX_MS);
    watch.observe(element, { childList: true, subtree: true, attributes: true, characterData: true });
  });
}
