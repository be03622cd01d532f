/** The card of an agent: its current turn, its queue, its windows. */
import { useState } from "preact/hooks";
import { dwell } from "../store/connection.ts";
import type { Conversation } from "../store/conversation.ts";
import type { Turn } from "../store/turn.ts";
import { announce } from "../kit/announce.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { duration } from "../kit/format.ts";
import { Icon, type IconName } from "../kit/icon.tsx";
import { Badge, ErrorNotice } from "../kit/pieces.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { hrefOf } from "../route.ts";
import { requestSummary, activityOf, stageNames, agentStatus } from "./status.ts";
import type { AgentWork } from "./graph.ts";
import { texts } from "../languages/agents.ts";

const ICONS: Record<AgentWork["kind"], IconName> = {
  main: "talk",
  ephemeral: "fork",
  window: "desktop",
  parallel: "fork",
  background: "moon",
};

/** An agent's card. */
export function AgentCard({ agent, conversation, now }: { agent: AgentWork; conversation: Conversation; now: number }) {
  const [problem, setProblem] = useState<unknown>();
  const turn = agent.turnId === undefined ? undefined : conversation.turn(agent.turnId);
  const state = turn?.state.value;
  const isElsewhere = agent.turnId !== undefined && turn === undefined;
  const agentState = isElsewhere ? agentStatus({ status: "running", reason: undefined }) : agentStatus(state);
  const isBusy = agent.turnId !== undefined;
  const attempt = async (work: () => Promise<unknown>, words: string) => {
    try {
      await work();
      setProblem(undefined);
      announce(words);
    } catch (error) {
      setProblem(error);
    }
  };
  const interrupt = () =>
    attempt(async () => {
      const client = await dwell();
      await client.request("agent.interrupt", { session_id: conversation.id, agent_id: agent.id });
    }, texts().nameWasInterrupted(agent.name));
  return (
    <article
      class={`agents-card card ${agent.kind} ${isBusy ? "busy" : "idle"}`}
      data-agent={agent.id}
      aria-label={agent.name}
    >
      <header class="agents-card-head">
        <span class="agents-face">
          <Icon name={ICONS[agent.kind]} small />
        </span>
        <h3>{agent.name}</h3>
        <Badge tone={agentState.tone}>
          {agentState.isMoving && <span class="agents-pulse" aria-hidden="true" />}
          {agentState.word}
        </Badge>
      </header>
      {turn && <Work turn={turn} session={conversation.id} now={now} />}
      {isElsewhere && <p class="agents-soft">{texts().workingEarlierTurnThat}</p>}
      {isBusy && (
        <div class="agents-do">
          <Button
            small
            kind="danger"
            icon="stop"
            onPress={() => void interrupt()}
            label={texts().interruptName(agent.name)}
          >
            {texts().interrupt}
          </Button>
          {turn && (
            <a class="button small plain" href={hrefOf({ view: "talk", session: conversation.id, detail: turn.id })}>
              {texts().showInChat}
            </a>
          )}
        </div>
      )}
      {agent.queue.length > 0 && (
        <Queue
          agent={agent}
          conversation={conversation}
          onCancel={(id) => void attempt(() => conversation.cancel(id), texts().queuedMessageCancelled)}
        />
      )}
      {agent.windows.length > 0 && (
        <p class="agents-windows">
          {agent.windows.map(({ id, title }) => (
            <a key={id} class="badge" href={hrefOf({ view: "desktop", session: conversation.id, detail: id })}>
              {title}
            </a>
          ))}
        </p>
      )}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </article>
  );
}

function Work({ turn, session, now }: { turn: Turn; session: string; now: number }) {
  const state = turn.state.value;
  const reached = stageNames().findIndex(([stage]) => stage === state.stage);
  const took = Math.max(0, now - new Date(state.createdAt).getTime());
  const asked = requestSummary(state.asked);
  return (
    <div class="agents-work">
      {asked !== "" && <blockquote>{asked}</blockquote>}
      <ol class="agents-stages" aria-label={texts().stages}>
        {stageNames().map(([stage, word], index) => (
          <li
            key={stage}
            class={index < reached ? "done" : index === reached ? "now" : undefined}
            aria-current={index === reached ? "step" : undefined}
            title={word}
          >
            <span class="unseen">{word}</span>
          </li>
        ))}
      </ol>
      <p class="agents-doing">
        <span>{activityOf(state)}</span>
        <span class="numbers">{lasting(took)}</span>
      </p>
      {state.approvals.map((approval) => (
        <p key={approval.approval_id} class="agents-soft">
          {texts().toolNeedsApproval(toolInWords(approval.tool), approval.reason)}{" "}
          <a href={hrefOf({ view: "talk", session })}>{texts().answerInTheChat}</a>.
        </p>
      ))}
    </div>
  );
}

/** `for 4 s`, `for 2 min 5 s`. */
function lasting(ms: number): string {
  if (ms < 1_000) return texts().justStarted;
  return ms < 60_000 ? texts().forMsS(Math.floor(ms / 1_000)) : texts().forMs(duration(ms));
}

function Queue(props: { agent: AgentWork; conversation: Conversation; onCancel: (turnId: string) => void }) {
  const { agent, conversation, onCancel } = props;
  return (
    <div class="agents-queue">
      <h4>{texts().queuedMessageCount(agent.queue.length)}</h4>
      <ol aria-label={texts().queueOfName(agent.name)}>
        {agent.queue.map((id, index) => {
          const asked = conversation.turn(id)?.state.value.asked;
          const words = asked ? requestSummary(asked) : texts().anEarlierMessage;
          return (
            <li key={id}>
              <span class="agents-place numbers">{index + 1}</span>
              <span class="agents-line">{words}</span>
              <IconButton
                small
                icon="close"
                label={texts().cancelWords(words.slice(0, 60))}
                onPress={() => onCancel(id)}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}
