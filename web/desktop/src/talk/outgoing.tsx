/** Messages being sent, and failed ones with their options, so that nothing is lost. */
import { connection } from "../store/connection.ts";
import type { Conversation, Outgoing } from "../store/conversation.ts";
import { describeError } from "../store/api.ts";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/pieces.tsx";
import { UserMessage } from "./user-message.tsx";
import { draftOf } from "./draft.ts";
import type { Attachment } from "./files.ts";
import { texts } from "../languages/talk.ts";

/** The messages that are not in the journal yet. */
export function OutgoingMessages({ conversation }: { conversation: Conversation }) {
  return (
    <>
      {conversation.outgoing.value.map((sent) => (
        <div key={sent.key} class="talk-turn talk-outgoing">
          <UserMessage asked={{ message: sent.message, images: [...sent.images] }}>
            {sent.problem === undefined && (
              <p class="talk-when">{connection.value === "down" ? texts().willBeSentAfter : texts().sending}</p>
            )}
          </UserMessage>
          {sent.problem !== undefined && (
            <Notice tone="danger" role="alert">
              <p>
                {texts().notSent} {describeError(sent.problem).message}
              </p>
              <p class="hint">{describeError(sent.problem).hint}</p>
              <div class="talk-choices">
                <Button
                  small
                  kind="primary"
                  icon="retry"
                  onPress={() => void conversation.resend(sent.key).catch(() => undefined)}
                >
                  {texts().sendAgain}
                </Button>
                <Button small icon="edit" onPress={() => edit(conversation, sent)}>
                  {texts().edit}
                </Button>
                <Button small onPress={() => conversation.discard(sent.key)}>
                  {texts().discard}
                </Button>
              </div>
            </Notice>
          )}
        </div>
      ))}
    </>
  );
}

/** Moves a message back into the draft, before its text. */
function edit(conversation: Conversation, sent: Outgoing): void {
  const box = draftOf(conversation.id);
  const pictures = sent.images.flatMap((image, index): Attachment[] =>
    "data" in image
      ? [{ kind: "picture", id: `${sent.key}-${index}`, name: texts().imageIndex(index + 1), image }]
      : [],
  );
  box.text.value = [sent.message, box.text.value].filter(Boolean).join("\n\n");
  box.files.value = [...pictures, ...box.files.value];
  conversation.discard(sent.key);
}
