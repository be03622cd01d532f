/** What of the library fits a question: passages, the best first. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, pathWith } from "../house/api.ts";
import { SearchBox } from "../kit/search-box.tsx";
import { Spinner, Trouble } from "../kit/pieces.tsx";
import { useLoaded } from "./load.ts";
import { count } from "./words.ts";

const TYPING_MS = 300;
const FEW = 10;

/** What is typed, and what is looked for once the typing has come to rest; both stay while one looks at other tabs. */
const typed = signal("");
const query = signal("");

/** The box, and below it what was found. */
export function LibrarySearch() {
  const words = typed.value;
  useEffect(() => {
    const timer = setTimeout(() => (query.value = words.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <form class="library-search" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchBox
        label="Search the library"
        placeholder="Search the documents"
        value={words}
        onChange={(now) => (typed.value = now)}
      />
      {query.value !== "" && <Hits words={query.value} />}
    </form>
  );
}

function Hits({ words }: { words: string }) {
  const { value, problem } = useLoaded(`library ${words}`, () =>
    api<wire.LibraryHits>("GET", pathWith("/api/v1/library/search", { query: words, limit: FEW })),
  );
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!value) return <Spinner label="Searching" />;
  return (
    <section aria-label="Passages that were found">
      <p class="memory-note" role="status">
        {value.data.length === 0 ? "Nothing fits." : `${count(value.data.length, "passage")}, the best first`}
      </p>
      <ol class="library-hits">
        {value.data.map((hit, index) => (
          <Hit key={index} hit={hit} />
        ))}
      </ol>
    </section>
  );
}

function Hit({ hit: { title, source, text, score } }: { hit: wire.LibraryHit }) {
  return (
    <li>
      <p class="library-hit-head">
        <b>{title}</b>
        <span>{source.replace(/^library:/, "")}</span>
        <span class="numbers" title="How well it fits">
          {Math.round(score * 100)} %
        </span>
      </p>
      <blockquote class="memory-quote">{text}</blockquote>
    </li>
  );
}
