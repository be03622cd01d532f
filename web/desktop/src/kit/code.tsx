/** Code blocks with a copy button and syntax highlighting that is loaded on first use. */
import { effect, type Signal, signal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import { announce } from "./announce.ts";
import type { CodePart } from "./highlight.ts";
import { IconButton } from "./button.tsx";
import { RunHtml } from "./run-html.tsx";
import { texts } from "../languages/kit.ts";
import "./code.css";

/** Longer code is not highlighted: it would block the page. */
const COLOURED_MAX = 40_000;
const COPIED_MS = 1_600;

/** Whether long lines are wrapped, in all code; the choice is kept. */
const WRAP_KEY = "dwell.code.wrap";
const isWrapping = signal(globalThis.localStorage.getItem(WRAP_KEY) === "on");
effect(() => {
  if (isWrapping.value) localStorage.setItem(WRAP_KEY, "on");
  else localStorage.removeItem(WRAP_KEY);
});

type Colours = (code: string, language: string) => CodePart[] | undefined;
/** The highlighter; undefined until it is loaded. */
const colours: Signal<Colours | undefined> = signal(undefined);
let isLoading = false;

function load(): void {
  if (isLoading) return;
  isLoading = true;
  import("./highlight.ts").then(
    ({ highlight: colour }) => (colours.value = colour),
    // Code is readable without highlighting; the next block tries again.
    () => (isLoading = false),
  );
}

/** A code block. While `isGrowing` it is not highlighted: colours would change with every token. */
export function CodeBlock({ code, language = "", isGrowing = false }: CodeProps) {
  const [isRunning, setRunning] = useState(false);
  const canRun = !isGrowing && /^(html?|xhtml)$/i.test(language);
  return (
    <figure class="code-block">
      <figcaption class="code-head">
        <span>{language || texts().text}</span>
        {canRun && <IconButton icon="play" label={texts().runInAWindow} small onPress={() => setRunning(true)} />}
        <IconButton
          icon="wrap"
          label={texts().wrapLongLines}
          small
          pressed={isWrapping.value}
          onPress={() => (isWrapping.value = !isWrapping.value)}
        />
        <CopyButton text={code} label={texts().copyCode} />
      </figcaption>
      {isRunning && <RunHtml html={code} onClose={() => setRunning(false)} />}
      <pre
        class={isWrapping.value ? "scroll wrapped" : "scroll"}
        tabIndex={0}
        role="group"
        aria-label={language ? texts().codeInLanguage(language) : texts().code}
      >
        <code>{isGrowing || !language ? code : <HighlightedCode code={code} language={language} />}</code>
      </pre>
    </figure>
  );
}

type CodeProps = { code: string; language?: string; isGrowing?: boolean };

function HighlightedCode({ code, language }: { code: string; language: string }) {
  const colour = colours.value;
  useEffect(load, []);
  if (!colour || code.length > COLOURED_MAX) return <>{code}</>;
  return <>{show(colour(code, language)) ?? code}</>;
}

function show(parts: CodePart[] | undefined): ComponentChild {
  return parts?.map((part, index) =>
    typeof part === "string" ? (
      part
    ) : (
      <span key={index} class={part.names}>
        {show(part.parts)}
      </span>
    ),
  );
}

/** A button that copies a text and confirms it. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async () => {
    const isCopied = await copyText(text);
    setDone(isCopied);
    announce(isCopied ? texts().copied : texts().couldNotCopySelect);
  };
  return <IconButton icon={isDone ? "check" : "copy"} label={label} small onPress={() => void copy()} />;
}

/**
 * Copies a text; returns whether it worked. The clipboard API is missing unless the page is served
 * over TLS or from localhost.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = document.createElement("textarea");
    box.value = text;
    box.className = "unseen";
    document.body.append(box);
    box.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is no other way without TLS.
    const isCopied = document.execCommand("copy");
    box.remove();
    return isCopied;
  }
}
