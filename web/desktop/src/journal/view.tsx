/** The journal view: all events of a session, with search and filters. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { current, currentProblem, titleOf } from "../store/sessions.ts";
import { addressOf } from "../kit/address.ts";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { plainNumber } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { EmptyState, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { SearchBox } from "../kit/search-box.tsx";
import { place } from "../route.ts";
import { RowList, type Target, useHeights } from "./list.tsx";
import { EventRow, TurnHead } from "./row.tsx";
import { type Filter, lastOf, type Row, rowsOf, filterEvents } from "./rows.ts";
import { Journal } from "./store.ts";
import { groupNames, GROUPS, type Group, describeEvent, describeRun, titlesOf } from "./words.ts";
import { texts } from "../languages/journal.ts";
import "./journal.css";

/** The journal view. */
export function JournalView() {
  const conversation = current.value;
  const isOpening = conversation === undefined && place.value.session !== undefined;
  return (
    <div class="page journal">
      <header class="page-head">
        <h1>
          {texts().journal}
          {conversation && <span class="journal-of"> {titleOf(conversation.session.value)}</span>}
        </h1>
        {conversation && (
          <a
            class="button small"
            href={addressOf(`/api/v1/sessions/${conversation.id}/export`)}
            download={`journal-${conversation.id}.ndjson`}
          >
            <Icon name="download" small />
            {texts().download}
          </a>
        )}
      </header>
      {conversation ? (
        <JournalBody key={conversation.id} conversation={conversation} />
      ) : isOpening ? (
        <div class="empty">
          {currentProblem.value === undefined ? (
            <Spinner label={texts().openingSession} />
          ) : (
            <ErrorNotice error={currentProblem.value} />
          )}
        </div>
      ) : (
        <EmptyState icon="journal" title={texts().noOpenSession}>
          <p>{texts().theJournalListsEvery}</p>
          <p class="journal-go">
            <a class="button" href="#/talk">
              {texts().chooseSessionChat}
            </a>
          </p>
        </EmptyState>
      )}
    </div>
  );
}

function useJournal(conversation: Conversation): Journal | undefined {
  const [journal, setJournal] = useState<Journal | undefined>();
  useEffect(() => {
    const made = new Journal(conversation);
    setJournal(made);
    return () => made.close();
  }, [conversation]);
  return journal;
}

function JournalBody({ conversation }: { conversation: Conversation }) {
  const journal = useJournal(conversation);
  return journal ? (
    <Timeline journal={journal} session={conversation.id} />
  ) : (
    <div class="empty">
      <Spinner />
    </div>
  );
}

/** Adds or removes an element of a set. */
function toggle<T>(set: ReadonlySet<T>, one: T): Set<T> {
  const other = new Set(set);
  if (!other.delete(one)) other.add(one);
  return other;
}

function Timeline({ journal, session }: { journal: Journal; session: string }) {
  const detail = place.value.detail;
  const wanted = detail !== undefined && /^\d+$/.test(detail) ? Number(detail) : undefined;
  const [filter, setFilter] = useState<Filter>({
    groups: new Set(),
    words: "",
    turnId: wanted === undefined ? detail : undefined,
  });
  const [isGrouped, setGrouped] = useState(true);
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [target, setTarget] = useState<Target | undefined>("end");
  const [marked, setMarked] = useState<number | undefined>();
  const [isAtEnd, setAtEnd] = useState(true);
  const heights = useHeights();
  const events = journal.events.value;
  const titles = useMemo(() => titlesOf(events), [events]);
  const filtered = useMemo(
    () => filterEvents(events, filter, (event) => describeEvent(event, titles)),
    [events, filter, titles],
  );
  const rows = useMemo(() => rowsOf(filtered, { isGrouped, folded, open }), [filtered, isGrouped, folded, open]);
  const jump = async (seq: number) => {
    setFilter({ groups: new Set(), words: "" });
    const reached = await journal.reach(seq);
    setMarked(reached);
    setTarget({ seq: reached });
    announce(texts().eventReached(reached));
  };
  useEffect(() => {
    if (wanted !== undefined) void jump(wanted);
  }, [wanted]);
  const isLoading = journal.isLoading.value;
  const first = events[0]?.seq ?? 0;
  return (
    <div class="journal-body">
      <Tools
        filter={filter}
        onFilter={setFilter}
        isGrouped={isGrouped}
        onGrouped={setGrouped}
        last={journal.last.value}
        onJump={(seq) => void jump(seq)}
      />
      {journal.problem.value !== undefined && (
        <ErrorNotice error={journal.problem.value}>
          <Button small onPress={() => void journal.toEnd()}>
            {texts().tryAgain}
          </Button>
        </ErrorNotice>
      )}
      <div class="journal-frame">
        {rows.length === 0 && !isLoading && !journal.hasOlder.value ? (
          <EmptyState icon="search" title={texts().noMatches}>
            <p>{texts().noEventMatchesRemove}</p>
          </EmptyState>
        ) : (
          <RowList
            rows={rows}
            heights={heights}
            target={target}
            label={texts().events}
            onTop={() => {
              if (journal.hasOlder.value && !journal.isLoading.value && journal.problem.value === undefined)
                void journal.older();
            }}
            onBottom={() => {
              if (journal.hasNewer.value && !journal.isLoading.value && journal.problem.value === undefined)
                void journal.newer();
            }}
            onEnd={setAtEnd}
          >
            {(row: Row) =>
              row.type === "turn" ? (
                <TurnHead
                  turn={row.turn}
                  isFolded={row.isFolded}
                  session={session}
                  isOnly={filter.turnId !== undefined && filter.turnId === row.turn.turnId}
                  onFold={() => setFolded(toggle(folded, row.turn.first))}
                  onOnly={() =>
                    setFilter({ ...filter, turnId: filter.turnId === undefined ? row.turn.turnId : undefined })
                  }
                />
              ) : (
                <EventRow
                  event={row.event}
                  run={row.run}
                  words={row.run ? describeRun(row.run) : describeEvent(row.event, titles)}
                  isOpen={row.isOpen}
                  isMarked={marked !== undefined && marked >= row.event.seq && marked <= lastOf(row)}
                  onOpen={() => setOpen(toggle(open, row.event.seq))}
                />
              )
            }
          </RowList>
        )}
        {(!isAtEnd || journal.hasNewer.value) && rows.length > 0 && (
          <div class="journal-newest">
            <Button
              small
              icon="down"
              onPress={() => {
                setMarked(undefined);
                void (journal.hasNewer.value ? journal.toEnd() : Promise.resolve()).then(() => setTarget("end"));
                setTarget(undefined);
              }}
            >
              {texts().jumpToLatest}
            </Button>
          </div>
        )}
      </div>
      <p class="journal-foot numbers" role="status">
        {isLoading && texts().loading}
        {events.length > 0 &&
          texts().shownEventsTotal(
            plainNumber(filtered.length),
            plainNumber(first),
            plainNumber(events.at(-1)?.seq ?? 0),
            plainNumber(journal.last.value),
          )}
      </p>
    </div>
  );
}

function Tools(props: {
  filter: Filter;
  onFilter: (filter: Filter) => void;
  isGrouped: boolean;
  onGrouped: (isGrouped: boolean) => void;
  last: number;
  onJump: (seq: number) => void;
}) {
  const { filter, onFilter, isGrouped, onGrouped, last, onJump } = props;
  const [number, setNumber] = useState("");
  const pick = (group: Group) => onFilter({ ...filter, groups: toggle(filter.groups, group) });
  const isFiltered = filter.groups.size > 0 || filter.words !== "" || filter.turnId !== undefined;
  return (
    <div class="journal-tools" role="search">
      <SearchBox
        class="journal-search"
        label={texts().searchTheJournal}
        placeholder={texts().search}
        value={filter.words}
        onChange={(words) => onFilter({ ...filter, words })}
      />
      <div class="chips journal-groups" role="group" aria-label={texts().eventTypes}>
        {GROUPS.map((group) => (
          <button
            key={group}
            type="button"
            class="chip"
            aria-pressed={filter.groups.has(group)}
            onClick={() => pick(group)}
          >
            {groupNames()[group]}
          </button>
        ))}
        {filter.turnId !== undefined && (
          <button
            type="button"
            class="chip"
            aria-pressed="true"
            aria-label={texts().filteredOneTurnShow}
            onClick={() => onFilter({ ...filter, turnId: undefined })}
          >
            {texts().oneTurn}
          </button>
        )}
        {isFiltered && (
          <Button small kind="plain" onPress={() => onFilter({ groups: new Set(), words: "" })}>
            {texts().showAll}
          </Button>
        )}
      </div>
      <label class="journal-check">
        <input type="checkbox" checked={isGrouped} onChange={(event) => onGrouped(event.currentTarget.checked)} />
        {texts().groupByTurn}
      </label>
      <form
        class="journal-jump"
        onSubmit={(event) => {
          event.preventDefault();
          const seq = Number(number);
          if (number.trim() !== "" && Number.isFinite(seq)) onJump(seq);
        }}
      >
        <label>
          <span class="unseen">
            {texts().eventNumber1To} {last}
          </span>
          <input
            class="input"
            inputMode="numeric"
            pattern="[0-9]*"
            placeholder={`1 – ${last}`}
            value={number}
            onInput={(event) => setNumber(event.currentTarget.value)}
          />
        </label>
        <Button small type="submit">
          {texts().go}
        </Button>
      </form>
    </div>
  );
}
