/** Turns in the background: what they do, with pause, resume and cancel. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { useAttempt } from "../kit/attempt.ts";
import { IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Badge, ErrorNotice } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { api } from "../store/api.ts";
import { onNotice } from "../store/connection.ts";
import { Moment } from "./now.tsx";
import { backgroundInWords } from "./words.ts";
import { texts } from "../languages/planned.ts";

/** Their progress is worth a look now and then. */
const LOOK_MS = 5_000;

/** The turns that have not ended, newest first. */
export const backgroundTurns = signal<readonly wire.BackgroundView[]>([]);

/** Keeps the list up to date while a view shows it. */
export function useBackground(): void {
  useEffect(() => {
    const look = () => void refresh();
    look();
    const timer = setInterval(() => !document.hidden && look(), LOOK_MS);
    const end = onNotice(({ type }) => type === "alert.raised" && look());
    return () => {
      clearInterval(timer);
      end();
    };
  }, []);
}

async function refresh(): Promise<void> {
  try {
    backgroundTurns.value = (await api<wire.BackgroundPage>("GET", "/api/v1/background")).data;
  } catch {
    // The list of schedules shows that the server is away; this one is asked for again soon.
  }
}

/** The section; nothing if there are none. */
export function BackgroundSection() {
  if (backgroundTurns.value.length === 0) return null;
  return (
    <section class="planned-section" aria-label={texts().inTheBackground}>
      <h2>{texts().inTheBackground}</h2>
      <ul class="planned-list">
        {backgroundTurns.value.map((turn) => (
          <BackgroundRow key={turn.turn_id} turn={turn} />
        ))}
      </ul>
    </section>
  );
}

function BackgroundRow({ turn }: { turn: wire.BackgroundView }) {
  const { isBusy, problem, run } = useAttempt();
  const isPaused = turn.status === "paused" || turn.status === "interrupted";
  const act = (what: "pause" | "resume" | "cancel", done: string) =>
    void run(async () => {
      await api("POST", `/api/v1/turns/${turn.turn_id}/${what}`, {});
      announce(done);
      await refresh();
    });
  return (
    <li class="card planned-row">
      <span class="planned-icon">
        <Icon name="agents" />
      </span>
      <div class="planned-what">
        <h3>
          <a href={hrefOf({ view: "talk", session: turn.session_id })}>{turn.message}</a>
        </h3>
        <p class="planned-action">
          <Badge>{backgroundInWords(turn)}</Badge> {texts().roundsAndCalls(turn.rounds, turn.tool_calls)}
          {turn.tool && texts().lastTool(turn.tool)}
        </p>
        <p>
          {texts().begun} <Moment at={turn.created_at} />
        </p>
      </div>
      <div class="planned-actions">
        <IconButton
          icon={isPaused ? "play" : "pause"}
          label={isPaused ? texts().resumeTitle(turn.message) : texts().pauseTitle(turn.message)}
          disabled={isBusy || turn.status === "waiting"}
          onPress={() => (isPaused ? act("resume", texts().resumed) : act("pause", texts().paused))}
        />
        <IconButton
          icon="close"
          label={texts().cancelMessage(turn.message)}
          disabled={isBusy}
          onPress={() => act("cancel", texts().cancelled)}
        />
      </div>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </li>
  );
}
