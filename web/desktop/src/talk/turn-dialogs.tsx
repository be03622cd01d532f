/** The dialogs that answer a turn again with another model, and delete it. */
import { useState } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { sessionsChanged } from "../store/sessions.ts";
import { branchAt } from "./branches/store.ts";
import { models } from "./models.ts";
import { type TurnDialog, turnDialog } from "./turn-dialog.ts";
import { texts } from "../languages/dialogs.ts";

/** The open dialog. */
export function TurnDialogs() {
  const open = turnDialog.value;
  if (!open) return null;
  return open.wish === "model" ? <ModelDialog {...open} /> : <DeleteDialog {...open} />;
}

const close = () => (turnDialog.value = undefined);

/** Chooses the model that answers the same message; both answers stay. */
function ModelDialog({ conversation, turn }: TurnDialog) {
  const { asked } = turn.state.value;
  const used = asked.model ?? conversation.session.value.settings.model;
  const names = models.value;
  const [chosen, setChosen] = useState<string>();
  const model = chosen ?? names.find((name) => name !== used) ?? names[0];
  const { isBusy, problem, run } = useAttempt();
  const answer = async () => {
    if (model === undefined) return;
    const images = [...(asked.images ?? [])];
    if (await run(() => branchAt(conversation, turn, asked.message, { images, model }))) close();
  };
  return (
    <Dialog
      title={texts().answerWithAnotherModel}
      onClose={close}
      foot={
        <>
          <Button onPress={close}>{texts().cancel}</Button>
          <Button kind="primary" disabled={isBusy || model === undefined} onPress={() => void answer()}>
            {texts().answer}
          </Button>
        </>
      }
    >
      <label class="field">
        {texts().model}
        <select class="input" value={model} onChange={(event) => setChosen(event.currentTarget.value)}>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <p class="sessions-about">{texts().thisAnswerStaysArrows}</p>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

/** Confirms that a turn is to be deleted. */
function DeleteDialog({ conversation, turn }: TurnDialog) {
  const { isBusy, problem, run } = useAttempt();
  const remove = async () => {
    if (!(await run(() => conversation.deleteTurn(turn.id)))) return;
    sessionsChanged();
    announce(texts().deleted);
    close();
  };
  return (
    <Dialog
      title={texts().deleteThisMessageAnd}
      kind="alertdialog"
      onClose={close}
      foot={
        <>
          <Button onPress={close} autofocus>
            {texts().cancel}
          </Button>
          <Button kind="danger" disabled={isBusy} onPress={() => void remove()}>
            {isBusy ? texts().deleting : texts().delete}
          </Button>
        </>
      }
    >
      <p>{texts().theirTextDeletedFrom}</p>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
