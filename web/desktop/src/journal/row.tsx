/** The rows of the journal: turn headers and events. */
import type { wire } from "@dwell/client";
import { IconButton } from "../kit/button.tsx";
import { duration, exactTime, inLocale } from "../kit/format.ts";
import { Icon, type IconName } from "../kit/icon.tsx";
import { Badge } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { sectionDuration, type Run, type TurnSection } from "./rows.ts";
import { type Group, groupNames, groupOf } from "./words.ts";
import { texts } from "../languages/journal.ts";

const ICONS: Record<Group, IconName> = {
  messages: "talk",
  text: "edit",
  tools: "tool",
  memory: "memory",
  desktop: "desktop",
  approvals: "lock",
  planned: "planned",
  status: "clock",
};

const clock = inLocale(
  (locale) => new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" }),
);

/** The time of day, to the second. */
export function clockTime(at: string): string {
  return clock().format(new Date(at));
}

/** The header of a turn. */
export function TurnHead(props: {
  turn: TurnSection;
  isFolded: boolean;
  session: string;
  onFold: () => void;
  onOnly: () => void;
  isOnly: boolean;
}) {
  const { turn, isFolded, session, onFold, onOnly, isOnly } = props;
  const name = turn.turnId === undefined ? texts().session : turn.asked?.trim() || texts().turn;
  const tone = turn.ended === "completed" ? "success" : turn.ended === undefined ? undefined : "warning";
  return (
    <div class="journal-turn">
      <button type="button" class="journal-fold" aria-expanded={!isFolded} onClick={onFold}>
        <Icon name={isFolded ? "right" : "down"} small />
        <span class="journal-asked">{name}</span>
        {turn.isContinued && <span class="journal-meta">{texts().continued}</span>}
      </button>
      <span class="journal-meta numbers">
        {texts().eventCount(turn.count)}
        {turn.turnId !== undefined && ` · ${duration(sectionDuration(turn))}`}
      </span>
      {turn.ended && <Badge tone={tone}>{turn.ended}</Badge>}
      {turn.turnId !== undefined && (
        <>
          <IconButton
            small
            icon="filter"
            label={isOnly ? texts().showAllTurns : texts().showOnlyThisTurn}
            pressed={isOnly}
            onPress={onOnly}
          />
          <a
            class="icon-button small"
            href={hrefOf({ view: "talk", session, detail: turn.turnId })}
            aria-label={texts().showThisTurnChat}
            title={texts().showThisTurnChat}
          >
            <Icon name="talk" />
          </a>
        </>
      )}
    </div>
  );
}

/** An event: one line, with all its data when expanded. */
export function EventRow(props: {
  event: wire.SessionEvent;
  run: Run | undefined;
  words: string;
  isOpen: boolean;
  isMarked: boolean;
  onOpen: () => void;
}) {
  const { event, run, words, isOpen, isMarked, onOpen } = props;
  const numbers = run && run.last > event.seq ? `${event.seq}–${run.last}` : `${event.seq}`;
  const group = groupOf(event);
  const agent = event.agent_id && event.agent_id !== "main" ? event.agent_id : undefined;
  return (
    <>
      <button
        type="button"
        class={`journal-event ${group} ${isMarked ? "marked" : ""}`}
        aria-expanded={isOpen}
        onClick={onOpen}
      >
        <span class="journal-seq numbers">{numbers}</span>
        <time class="journal-time numbers" dateTime={event.at} title={exactTime(event.at)}>
          {clockTime(event.at)}
        </time>
        <span class="journal-kind">
          <Icon name={ICONS[group]} small />
          <span class="unseen">{groupNames()[group]}: </span>
        </span>
        <span class="journal-words">{words}</span>
        {agent && <span class="journal-agent">{agentInWords(agent)}</span>}
      </button>
      {isOpen && (
        <div class="journal-raw">
          <p class="journal-whole">{words}</p>
          <p class="journal-facts">
            <span>{event.type}</span>
            <span>{exactTime(event.at)}</span>
            {event.agent_id && (
              <span>
                {texts().agent} {event.agent_id}
              </span>
            )}
            {event.turn_id && (
              <span>
                {texts().turnField} {event.turn_id}
              </span>
            )}
          </p>
          <pre class="scroll" tabIndex={0} aria-label={texts().eventAsStored(numbers)}>
            {JSON.stringify(
              run && run.events.length > 1 ? run.events.map(({ seq, data }) => ({ seq, data })) : event.data,
              null,
              2,
            )}
          </pre>
        </div>
      )}
    </>
  );
}

/** A short name of an agent. */
function agentInWords(id: string): string {
  if (id.startsWith("ephemeral-")) return texts().additional;
  const [name = id, monitor] = id.split("@");
  const short = name.replace(/^window-/, "").split("/")[0] ?? name;
  return monitor === undefined ? short : `${short} @ ${monitor}`;
}
