/** Searches the library: passages, best match first. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, pathWith } from "../store/api.ts";
import { SearchBox } from "../kit/search-box.tsx";
import { Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { useLoad } from "./load.ts";
import { count } from "./words.ts";
import { texts } from "../languages/memory.ts";

const TYPING_MS = 300;
const FEW = 10;

/** The input, and the debounced query. Both are kept while other tabs are open. */
const typed = signal("");
const query = signal("");

/** The search box with its results. */
export function LibrarySearch() {
  const words = typed.value;
  useEffect(() => {
    const timer = setTimeout(() => (query.value = words.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <form class="library-search" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchBox
        label={texts().searchTheLibrary}
        placeholder={texts().searchDocuments}
        value={words}
        onChange={(now) => (typed.value = now)}
      />
      {query.value !== "" && <Hits words={query.value} />}
    </form>
  );
}

function Hits({ words }: { words: string }) {
  const { value, problem } = useLoad(`library ${words}`, () =>
    api<wire.LibraryHits>("GET", pathWith("/api/v1/library/search", { query: words, limit: FEW })),
  );
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!value) return <Spinner label={texts().searching} />;
  return (
    <section aria-label={texts().results}>
      <p class="memory-note" role="status">
        {value.data.length === 0 ? texts().noMatches : texts().bestMatchFirst(count(value.data.length, "passage"))}
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
        <span class="numbers" title={texts().relevance}>
          {Math.round(score * 100)} %
        </span>
      </p>
      <blockquote class="memory-quote">{text}</blockquote>
    </li>
  );
}
