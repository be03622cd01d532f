/** Code: with a button that copies it, and colours that come when the first code is shown. */
import { type Signal, signal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import { announce } from "./announce.ts";
import type { Coloured } from "./code-colours.ts";
import { IconButton } from "./button.tsx";
import "./code.css";

/** Longer code is shown plain: colouring it would hold up the page. */
const COLOURED_MAX = 40_000;
const COPIED_MS = 1_600;

type Colours = (code: string, language: string) => Coloured[] | undefined;
/** What colours code; undefined until it is loaded. */
const colours: Signal<Colours | undefined> = signal(undefined);
let isLoading = false;

function load(): void {
  if (isLoading) return;
  isLoading = true;
  import("./code-colours.ts").then(
    ({ colour }) => (colours.value = colour),
    // Without colours it is still code; the next block tries again.
    () => (isLoading = false),
  );
}

/** A block of code. While `isGrowing` it has no colours: they would change with every word. */
export function CodeBlock({ code, language = "", isGrowing = false }: CodeProps) {
  return (
    <figure class="code-block">
      <figcaption class="code-head">
        <span>{language || "text"}</span>
        <CopyButton text={code} label="Copy the code" />
      </figcaption>
      <pre class="scroll" tabIndex={0} role="group" aria-label={language ? `Code in ${language}` : "Code"}>
        <code>{isGrowing || !language ? code : <ColouredCode code={code} language={language} />}</code>
      </pre>
    </figure>
  );
}

type CodeProps = { code: string; language?: string; isGrowing?: boolean };

function ColouredCode({ code, language }: { code: string; language: string }) {
  const colour = colours.value;
  useEffect(load, []);
  if (!colour || code.length > COLOURED_MAX) return <>{code}</>;
  return <>{show(colour(code, language)) ?? code}</>;
}

function show(parts: Coloured[] | undefined): ComponentChild {
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

/** A button that copies a text, and says that it did. */
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
    announce(isCopied ? "Copied" : "It could not be copied. Mark it and copy it by hand.");
  };
  return <IconButton icon={isDone ? "check" : "copy"} label={label} small onPress={() => void copy()} />;
}

/** Copies a text; says whether it could. The clipboard is not there where the page is not served over TLS or from this machine. */
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
