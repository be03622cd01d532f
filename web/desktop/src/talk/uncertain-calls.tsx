/** Asks the user about calls whose outcome is unknown after a crash. */
import type { wire } from "@dwell/client";
import { useId, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { tools } from "../store/tools.ts";
import type { Turn } from "../store/turn.ts";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { firstSentence, toolInWords } from "../kit/value-words.ts";
import { JsonFold, Values } from "../kit/values.tsx";
import { texts } from "../languages/approvals.ts";
import "./uncertain-calls.css";

type Outcome = "happened" | "did_not_happen";

/** The question for each call; renders nothing if there is none. */
export function UncertainCalls({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const { status, question } = turn.state.value;
  const heading = useId();
  if (status !== "waiting" || !question || question.calls.length === 0) return null;
  const { calls } = question;
  return (
    <section class="doubt" aria-labelledby={heading}>
      <div class="doubt-head">
        <span class="doubt-sign">
          <Icon name="warning" />
        </span>
        <div>
          <h3 id={heading}>{texts().didItHappen}</h3>
          <p>{texts().stoppedWhile(calls.length)}</p>
        </div>
      </div>
      {calls.map((call) => (
        <Call key={call.call_id} call={call} conversation={conversation} turn={turn} isOne={calls.length === 1} />
      ))}
    </section>
  );
}

type CallProps = { call: wire.DoubtfulCall; conversation: Conversation; turn: Turn; isOne: boolean };

function Call({ call, conversation, turn, isOne }: CallProps) {
  const [said, setSaid] = useState<Outcome>();
  const [problem, setProblem] = useState<unknown>();
  const tool = tools.value.get(call.tool);
  const say = async (outcome: Outcome) => {
    setSaid(outcome);
    setProblem(undefined);
    try {
      await conversation.resume(turn.id, outcome, call.call_id);
      announce(outcome === "happened" ? texts().notedItHappened : texts().notedDidNotHappen);
    } catch (error) {
      setSaid(undefined);
      setProblem(error);
    }
  };
  const goesOn = isOne ? texts().theTurnContinues : texts().onceAllAreAnswered;
  return (
    <div class="doubt-call">
      <h4>{toolInWords(call.tool)}</h4>
      {tool && <p class="doubt-about">{firstSentence(tool.description)}</p>}
      <div class="doubt-arguments">
        <Values value={call.arguments} />
      </div>
      <JsonFold value={{ tool: call.tool, arguments: call.arguments }} label={texts().rawJson} />
      <div class="doubt-choices">
        <div>
          <Button disabled={said !== undefined} onPress={() => void say("happened")}>
            {texts().itHappened}
          </Button>
          <p>{texts().notRepeated(goesOn)}</p>
        </div>
        <div>
          <Button disabled={said !== undefined} onPress={() => void say("did_not_happen")}>
            {texts().itDidNotHappen}
          </Button>
          <p>{texts().runsAgain(goesOn)}</p>
        </div>
      </div>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </div>
  );
}
