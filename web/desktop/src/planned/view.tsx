/** The Planned view: what begins by itself, what ran and what was missed, and the alerts. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { alerts, unseen } from "../alerts/store.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { EmptyState, ErrorNotice, Spinner, Tabs } from "../kit/pieces.tsx";
import { go, place } from "../route.ts";
import { AlertsTab } from "./alerts-tab.tsx";
import { BackgroundSection, backgroundTurns, useBackground } from "./background.tsx";
import { HookDialog } from "./hook.tsx";
import { openDialog } from "./open.ts";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { ScheduleRow } from "./row.tsx";
import { followSchedules, plannedProblem, schedules, stepSchedule, timers } from "./store.ts";
import { TimerList } from "./timers.tsx";
import { viewerZone } from "./times.ts";
import { historyOf, isOpen, isTimer, titleOf, wentWrong } from "./words.ts";
import { texts } from "../languages/planned.ts";
import "./planned.css";

type Tab = "planned" | "history" | "alerts";

/** The tab that a route names. A link to a schedule that is over leads to the history. */
function tabOf(detail: string | undefined, all: readonly wire.ScheduleView[]): Tab {
  if (detail === "history" || detail === "alerts") return detail;
  const linked = all.find(({ schedule_id: id }) => id === detail);
  return linked && !isOpen(linked) ? "history" : "planned";
}

/** The view. */
export function PlannedView() {
  useEffect(() => followSchedules(true), []);
  useBackground();
  useEffect(() => () => void (openDialog.value = undefined), []);
  const all = schedules.value;
  const { detail, session } = place.value;
  const tab = tabOf(detail, all ?? []);
  const news = unseen.value.length;
  const tabs = [
    { id: "planned", label: texts().planned },
    { id: "history", label: texts().history },
    { id: "alerts", label: news > 0 ? texts().alertsNews(news) : texts().alerts },
  ] as const;
  return (
    <div class="page">
      <header class="page-head">
        <h1>{texts().planned}</h1>
        <Button kind="primary" icon="plus" onPress={() => (openDialog.value = { what: "new" })}>
          {texts().new}
        </Button>
      </header>
      <div class="scroll planned-body" tabIndex={-1}>
        <div class="planned-column">
          <Tabs<Tab>
            label={texts().planned}
            tabs={tabs}
            value={tab}
            onChange={(next) => go({ view: "planned", session, detail: next === "planned" ? undefined : next })}
          />
          <div role="tabpanel" aria-label={tabs.find(({ id }) => id === tab)?.label} class="planned-panel">
            {plannedProblem.value !== undefined && tab !== "alerts" && <ErrorNotice error={plannedProblem.value} />}
            {tab === "alerts" && <AlertsTab />}
            {tab !== "alerts" && all === undefined && plannedProblem.value === undefined && (
              <Spinner label={texts().loadingWhatIsPlanned} />
            )}
            {tab === "planned" && all && <PlannedTab all={all} />}
            {tab === "history" && all && <HistoryTab all={all} />}
          </div>
        </div>
      </div>
      <Dialogs />
    </div>
  );
}

function Dialogs() {
  const open = openDialog.value;
  const close = () => (openDialog.value = undefined);
  if (!open) return null;
  if (open.what === "cancel") return <CancelDialog schedule={open.schedule} onClose={close} />;
  if (open.what === "hook") return <HookDialog schedule={open.schedule} onClose={close} />;
  return <ScheduleDialog schedule={open.what === "edit" ? open.schedule : undefined} onClose={close} />;
}

function PlannedTab({ all }: { all: readonly wire.ScheduleView[] }) {
  const open = all.filter((schedule) => isOpen(schedule) && !isTimer(schedule));
  if (open.length === 0 && timers.value.length === 0 && backgroundTurns.value.length === 0) {
    return (
      <EmptyState icon="planned" title={texts().nothingIsPlanned}>
        <p>{texts().planReminderMessageOr}</p>
      </EmptyState>
    );
  }
  const group = (status: wire.ScheduleStatus) => open.filter((schedule) => schedule.status === status);
  return (
    <>
      <Section title={texts().waitsForYourApproval} list={group("waiting")} />
      {timers.value.length > 0 && (
        <section class="planned-section" aria-label={texts().timers}>
          <h2>{texts().timers}</h2>
          <TimerList />
        </section>
      )}
      <BackgroundSection />
      <Section title={texts().next} list={group("active")} note={texts().timesInViewerZone(viewerZone())} />
      <Section title={texts().paused} list={group("paused")} />
    </>
  );
}

type SectionProps = { title: string; list: readonly wire.ScheduleView[]; note?: ComponentChildren };

function Section({ title, list, note }: SectionProps) {
  if (list.length === 0) return null;
  return (
    <section class="planned-section" aria-label={title}>
      <h2>
        {title} {note && <small>{note}</small>}
      </h2>
      <ul class="planned-list">
        {list.map((schedule) => (
          <ScheduleRow key={schedule.schedule_id} schedule={schedule} />
        ))}
      </ul>
    </section>
  );
}

/** How many rows the history shows at first, and how many more with each press. */
const PAGE = 50;

function filters() {
  return [
    ["all", texts().all],
    ["ran", texts().ran],
    ["missed", texts().missedOrFailed],
  ] as const;
}

function HistoryTab({ all }: { all: readonly wire.ScheduleView[] }) {
  const [filter, setFilter] = useState<ReturnType<typeof filters>[number][0]>("all");
  const [limit, setLimit] = useState(PAGE);
  const list = historyOf(all).filter((schedule) => {
    if (filter === "ran") return schedule.runs > 0;
    return filter === "all" || wentWrong(schedule, alerts.value ?? []);
  });
  return (
    <>
      <div class="chips" role="group" aria-label={texts().filter}>
        {filters().map(([name, label]) => (
          <button key={name} type="button" class="chip" aria-pressed={filter === name} onClick={() => setFilter(name)}>
            {label}
          </button>
        ))}
      </div>
      {list.length === 0 ? (
        <EmptyState icon="clock" title={filter === "missed" ? texts().nothingWasMissed : texts().nothingHasRunYet} />
      ) : (
        <Section title={texts().latestFirst} list={list.slice(0, limit)} />
      )}
      {list.length > limit && <Button onPress={() => setLimit(limit + PAGE)}>{texts().showMore}</Button>}
    </>
  );
}

function CancelDialog({ schedule, onClose }: { schedule: wire.ScheduleView; onClose: () => void }) {
  const { isBusy, problem, run } = useAttempt();
  const cancel = async () => {
    if (await run(() => stepSchedule(schedule, { do: "cancel" }))) onClose();
  };
  return (
    <Dialog
      title={texts().cancelIt}
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{texts().keep}</Button>
          <Button kind="danger" disabled={isBusy} onPress={() => void cancel()}>
            {texts().cancelButton}
          </Button>
        </>
      }
    >
      <p>{texts().noLongerRuns(titleOf(schedule))}</p>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
