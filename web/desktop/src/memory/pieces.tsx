/** Components shared by the tabs of the memory view. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { Button } from "../kit/button.tsx";
import { exactTime } from "../kit/format.ts";
import { Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { titleFor } from "../talk/sessions/titles.ts";
import type { Pages } from "./load.ts";
import { dayOf } from "./words.ts";
import { texts } from "../languages/memory.ts";

/** The source of an item: "Learned on … in …", with a link to the turn. */
export function SourceLine({ source, at }: { source: wire.ItemSource | undefined; at?: string | undefined }) {
  const when = at ? texts().onAt(dayOf(at)) : "";
  if (source?.session_id) {
    const to = { view: "talk", session: source.session_id, detail: source.turn_id ?? undefined } as const;
    return (
      <span class="memory-source">
        {texts().learned}
        {when} {texts().in} <a href={hrefOf(to)}>{titleFor(source.session_id) ?? "…"}</a>
      </span>
    );
  }
  if (source?.imported_from && source.imported_from !== "client") {
    return (
      <span class="memory-source">
        {texts().importedTitle}
        {when} {texts().from} {source.imported_from}
      </span>
    );
  }
  return (
    <span class="memory-source">
      {texts().addedTitle}
      {when} {texts().byYou}
    </span>
  );
}

/** A date with its exact time as a tooltip. */
export function DateLabel({ at, label }: { at: string; label: string }) {
  return (
    <span title={exactTime(at)}>
      {label} <time dateTime={at}>{dayOf(at)}</time>
    </span>
  );
}

/** A paged list with loading and empty states and a button for more. */
export function PagedList<T>(props: {
  pages: Pages<T>;
  label: string;
  nothing: ComponentChildren;
  render: (item: T) => ComponentChildren;
}) {
  const { pages, label, nothing, render } = props;
  if (!pages.items) {
    return (
      <div class="memory-wait">{pages.problem === undefined ? <Spinner /> : <ErrorNotice error={pages.problem} />}</div>
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
      {pages.problem !== undefined && <ErrorNotice error={pages.problem} />}
      {pages.hasMore && (
        <div class="memory-wait">
          <Button onPress={pages.more} disabled={pages.isReading}>
            {pages.isReading ? texts().loading : texts().showMore}
          </Button>
        </div>
      )}
    </>
  );
}
