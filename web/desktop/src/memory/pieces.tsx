/** Pieces that the tabs of memory share. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { Button } from "../kit/button.tsx";
import { exactTime } from "../kit/format.ts";
import { Spinner, Trouble } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { titleFor } from "../talk/sessions/titles.ts";
import type { Pages } from "./load.ts";
import { dayOf } from "./words.ts";

/** Where something comes from: "said on … in …", leading to the turn. */
export function SourceLine({ source, at }: { source: wire.Source | undefined; at?: string | undefined }) {
  const when = at ? ` on ${dayOf(at)}` : "";
  if (source?.session_id) {
    const to = { view: "talk", session: source.session_id, detail: source.turn_id ?? undefined } as const;
    return (
      <span class="memory-source">
        Said{when} in <a href={hrefOf(to)}>{titleFor(source.session_id) ?? "…"}</a>
      </span>
    );
  }
  if (source?.imported_from && source.imported_from !== "client") {
    return (
      <span class="memory-source">
        Taken over{when} from {source.imported_from}
      </span>
    );
  }
  return <span class="memory-source">Written{when} by you</span>;
}

/** A moment with its exact time for those who point at it. */
export function When({ at, label }: { at: string; label: string }) {
  return (
    <span title={exactTime(at)}>
      {label} <time dateTime={at}>{dayOf(at)}</time>
    </span>
  );
}

/** A list as it is read: waiting, nothing, the items, a button for more. */
export function PagedList<T>(props: {
  pages: Pages<T>;
  label: string;
  nothing: ComponentChildren;
  render: (item: T) => ComponentChildren;
}) {
  const { pages, label, nothing, render } = props;
  if (!pages.items) {
    return (
      <div class="memory-wait">{pages.problem === undefined ? <Spinner /> : <Trouble error={pages.problem} />}</div>
    );
  }
  return (
    <>
      {pages.items.length === 0 && pages.problem === undefined && nothing}
      {pages.items.length > 0 && (
        <ul class="memory-list" aria-label={label}>
          {pages.items.map(render)}
        </ul>
      )}
      {pages.problem !== undefined && <Trouble error={pages.problem} />}
      {pages.hasMore && (
        <div class="memory-wait">
          <Button onPress={pages.more} disabled={pages.isReading}>
            {pages.isReading ? "Reading…" : "Show more"}
          </Button>
        </div>
      )}
    </>
  );
}
