/** The agents view: running and queued work, and statistics. */
import { useState } from "preact/hooks";
import { current, currentProblem, titleOf } from "../store/sessions.ts";
import { Spinner, Tabs, ErrorNotice } from "../kit/pieces.tsx";
import { place } from "../route.ts";
import { ContextPanel } from "./context.tsx";
import { Lanes } from "./lanes.tsx";
import { RecentSessions, RecentTurns } from "./recent.tsx";
import { BusySessions, ServerPanel } from "./server.tsx";
import { Statistics } from "./statistics.tsx";
import { useServerStats } from "./stats.ts";
import { texts } from "../languages/agents.ts";
import "./agents.css";
import "./statistics.css";
import "./narrow.css";

function tabs() {
  return [
    { id: "now", label: texts().now },
    { id: "statistics", label: texts().statistics },
  ] as const;
}

/** The agents view. */
export function AgentsView() {
  const [tab, setTab] = useState<"now" | "statistics">("now");
  useServerStats();
  const conversation = current.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>
          {texts().agents}
          {conversation && <span class="agents-of"> {titleOf(conversation.session.value)}</span>}
        </h1>
        <Tabs label={texts().agents} tabs={tabs()} value={tab} onChange={setTab} />
      </header>
      {tab === "now" ? <Now /> : <Statistics key={conversation?.id} />}
    </div>
  );
}

function Now() {
  const conversation = current.value;
  const isOpening = conversation === undefined && place.value.session !== undefined;
  return (
    <div class="scroll agents-body" tabIndex={0} aria-label={texts().currentAgents}>
      {conversation ? (
        <div class="agents-main">
          <Lanes conversation={conversation} />
          <RecentTurns key={conversation.id} conversation={conversation} />
        </div>
      ) : isOpening ? (
        currentProblem.value === undefined ? (
          <Spinner label={texts().openingSession} />
        ) : (
          <ErrorNotice error={currentProblem.value} />
        )
      ) : (
        <RecentSessions />
      )}
      <aside class="agents-side" aria-label={texts().details}>
        {conversation && <ContextPanel key={conversation.id} conversation={conversation} />}
        <ServerPanel />
        <BusySessions except={conversation?.id} />
      </aside>
    </div>
  );
}
