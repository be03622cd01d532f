/** A Mermaid diagram: drawn apart and shown as a picture, with its code behind a button. */
import { useEffect, useState } from "preact/hooks";
import { IconButton } from "./button.tsx";
import { CodeBlock } from "./code.tsx";
import { theme } from "./theme.ts";
import { texts } from "../languages/kit.ts";
import "./diagram.css";

/** The part of the code that screen readers are given. */
const ALT_MAX = 300;

type Drawn = { code: string; isDark: boolean; source?: string; problem?: string };

const darkSystem = matchMedia("(prefers-color-scheme: dark)");

/** The diagram; as code while it grows, and if it cannot be drawn. */
export function Diagram({ code, isGrowing }: { code: string; isGrowing: boolean }) {
  const [drawn, setDrawn] = useState<Drawn>();
  const [isCode, setCode] = useState(false);
  const isDark = theme.value === "dark" || (theme.value === "auto" && darkSystem.matches);
  useEffect(() => {
    if (isGrowing) return;
    let isOver = false;
    const take = (more: Partial<Drawn>) => !isOver && setDrawn({ code, isDark, ...more });
    import("./diagrams.ts")
      .then(({ drawDiagram }) => drawDiagram(code, isDark))
      .then(
        (svg) => take({ source: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}` }),
        (problem: unknown) => take({ problem: problem instanceof Error ? problem.message : String(problem) }),
      );
    return () => void (isOver = true);
  }, [code, isDark, isGrowing]);
  const source = drawn?.code === code ? drawn.source : undefined;
  if (source === undefined || isGrowing) {
    return (
      <>
        <CodeBlock code={code} language="mermaid" isGrowing={isGrowing} />
        {drawn?.problem !== undefined && !isGrowing && (
          <p class="diagram-problem">
            {texts().theDiagramCannotBe} {drawn.problem.split("\n")[0]}
          </p>
        )}
      </>
    );
  }
  return (
    <figure class="diagram">
      <div class="diagram-head">
        <IconButton
          icon={isCode ? "eye" : "edit"}
          small
          label={isCode ? texts().showTheDiagram : texts().showItsCode}
          pressed={isCode}
          onPress={() => setCode(!isCode)}
        />
      </div>
      {isCode ? (
        <CodeBlock code={code} language="mermaid" />
      ) : (
        <div class="diagram-picture scroll" tabIndex={0} role="group" aria-label={texts().diagram}>
          <img src={source} alt={texts().diagramCode(code.slice(0, ALT_MAX))} />
        </div>
      )}
    </figure>
  );
}
