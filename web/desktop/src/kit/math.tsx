/** Formulas, typeset by KaTeX, which is loaded with the first one. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

type Draw = (tex: string, element: HTMLElement, isBlock: boolean) => void;
/** The typesetter; undefined until it is loaded. */
const typesetter: Signal<Draw | undefined> = signal(undefined);
let isLoading = false;

function load(): void {
  if (isLoading) return;
  isLoading = true;
  import("./katex.ts").then(
    ({ drawFormula }) => (typesetter.value = drawFormula),
    // The formula is readable as it is written; the next one tries again.
    () => (isLoading = false),
  );
}

/** A formula; as it is written until the typesetter is there. */
export function Formula({ tex, isBlock }: { tex: string; isBlock: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const draw = typesetter.value;
  useEffect(load, []);
  useEffect(() => {
    if (draw && place.current) draw(tex, place.current, isBlock);
  }, [draw, tex, isBlock]);
  const Name = isBlock ? "div" : "span";
  if (!draw) return <Name class={isBlock ? "prose-math block" : "prose-math"}>{<code>{tex}</code>}</Name>;
  return (
    <Name class={isBlock ? "prose-math block scroll" : "prose-math"} {...(isBlock && { tabIndex: 0, role: "group" })}>
      {/* KaTeX fills it; Preact leaves it alone, since it has no children. */}
      <span key={tex} ref={place} />
    </Name>
  );
}
