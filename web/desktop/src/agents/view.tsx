/** Agents: who works now and what waits, and the numbers of it. */
import { useState } from "preact/hooks";
import { current, currentProblem, titleOf } from "../house/sessions.ts";
import { Icon } from "../kit/icon.tsx";
import { Spinner, Tabs, Trouble } from "../kit/pieces.tsx";
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

/** The view. */
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
        <Tabs label="What to look at" tabs={TABS} value={tab} onChange={setTab} />
      </header>
      {tab === "now" ? <Now /> : <Statistics key={conversation?.id} />}
    </div>
  );
}

function Now() {
  const conversation = current.value;
  const isOpening = conversation === undefined && place.value.session !== undefined;
  return (
    <div class="scroll agents-body" tabIndex={0} aria-label="Agents now">
      {conversation ? (
        <Lanes conversation={conversation} />
      ) : isOpening ? (
        currentProblem.value === undefined ? (
          <Spinner label="Opening the session" />
        ) : (
          <Trouble error={currentProblem.value} />
        )
      ) : (
        <Nobody />
      )}
      <aside class="agents-side" aria-label="Around it">
        {conversation && <ContextPanel key={conversation.id} conversation={conversation} />}
        <ServerPanel />
        <BusySessions except={conversation?.id} />
      </aside>
    </div>
  );
}

/** No session is open: what this is for. */
function Nobody() {
  return (
    <div class="agents-nobody">
      <Icon name="agents" />
      <h2>No session is open</h2>
      <p>
        Open one in Talk to see its agents at work: the main one, those of its windows, what each is doing and what
        waits for it.
      </p>
      <p>
        <a class="button" href="#/talk">
          Go to Talk
        </a>
      </p>
    </div>
  );
}
