/** The agents view: running and queued work, and statistics. */
import { useState } from "preact/hooks";
import { current, currentProblem, titleOf } from "../store/sessions.ts";
import { Icon } from "../kit/icon.tsx";
import { Spinner, Tabs, ErrorNotice } from "../kit/pieces.tsx";
import { place } from "../route.ts";
import { ContextPanel } from "./context.tsx";
import { Lanes } from "./lanes.tsx";
import { BusySessions, ServerPanel } from "./server.tsx";
import { Statistics } from "./statistics.tsx";
import { useServerStats } from "./stats.ts";
import "./agents.css";
import "./statistics.css";
import "./narrow.css";

const TABS = [
  { id: "now", label: "Now" },
  { id: "statistics", label: "Statistics" },
] as const;

/** The agents view. */
export function AgentsView() {
  const [tab, setTab] = useState<"now" | "statistics">("now");
  useServerStats();
  const conversation = current.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>
          Agents
          {conversation && <span class="agents-of"> {titleOf(conversation.session.value)}</span>}
        </h1>
        <Tabs label="Agents" tabs={TABS} value={tab} onChange={setTab} />
      </header>
      {tab === "now" ? <Now /> : <Statistics key={conversation?.id} />}
    </div>
  );
}

function Now() {
  const conversation = current.value;
  const isOpening = conversation === undefined && place.value.session !== undefined;
  return (
    <div class="scroll agents-body" tabIndex={0} aria-label="Current agents">
      {conversation ? (
        <Lanes conversation={conversation} />
      ) : isOpening ? (
        currentProblem.value === undefined ? (
          <Spinner label="Opening session" />
        ) : (
          <ErrorNotice error={currentProblem.value} />
        )
      ) : (
        <NoSession />
      )}
      <aside class="agents-side" aria-label="Details">
        {conversation && <ContextPanel key={conversation.id} conversation={conversation} />}
        <ServerPanel />
        <BusySessions except={conversation?.id} />
      </aside>
    </div>
  );
}

/** The empty state when no session is open. */
function NoSession() {
  return (
    <div class="agents-empty">
      <Icon name="agents" />
      <h2>No open session</h2>
      <p>Open a session in Chat to see its agents, what each is doing, and what is queued.</p>
      <p>
        <a class="button" href="#/talk">
          Go to Chat
        </a>
      </p>
    </div>
  );
}
