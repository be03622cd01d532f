/** Messages that are on their way, and those that could not be sent: nothing that was written is lost. */
import { connection } from "../house/connection.ts";
import type { Conversation, Outgoing } from "../house/conversation.ts";
import { inWords } from "../house/api.ts";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/pieces.tsx";
import { AskedMessage } from "./asked.tsx";
import { boxOf } from "./box.ts";
import type { Attached } from "./files.ts";

/** What was sent and is not in the journal yet. */
export function OutgoingMessages({ conversation }: { conversation: Conversation }) {
  return (
    <>
      {conversation.outgoing.value.map((sent) => (
        <div key={sent.key} class="talk-turn talk-outgoing">
          <AskedMessage asked={{ message: sent.message, images: [...sent.images] }}>
            {sent.problem === undefined && (
              <p class="talk-when">
                {connection.value === "down" ? "Is sent when the connection is back" : "Sending…"}
              </p>
            )}
          </AskedMessage>
          {sent.problem !== undefined && (
            <Notice tone="danger" role="alert">
              <p>Not sent: {inWords(sent.problem).message}</p>
              <p class="hint">{inWords(sent.problem).hint}</p>
              <div class="talk-choices">
                <Button
                  small
                  kind="primary"
                  icon="retry"
                  onPress={() => void conversation.resend(sent.key).catch(() => undefined)}
                >
                  Send again
                </Button>
                <Button small icon="edit" onPress={() => edit(conversation, sent)}>
                  Edit
                </Button>
                <Button small onPress={() => conversation.discard(sent.key)}>
                  Discard
                </Button>
              </div>
            </Notice>
          )}
        </div>
      ))}
    </>
  );
}

/** Puts a message back into the box, before what is there. */
function edit(conversation: Conversation, sent: Outgoing): void {
  const box = boxOf(conversation.id);
  const pictures = sent.images.flatMap((image, index): Attached[] =>
    "data" in image ? [{ kind: "picture", id: `${sent.key}-${index}`, name: `picture ${index + 1}`, image }] : [],
  );
  box.text.value = [sent.message, box.text.value].filter(Boolean).join("\n\n");
  box.files.value = [...pictures, ...box.files.value];
  conversation.discard(sent.key);
}
