/** Replaces the message box of an ended session; offers to continue in a new one. */
import type { Conversation } from "../store/conversation.ts";
import { dwell } from "../store/connection.ts";
import { newKey } from "../store/key.ts";
import { sessionsChanged } from "../store/sessions.ts";
import { Button } from "../kit/button.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { go } from "../route.ts";
import { attempt, lastError } from "./attempt.ts";
import { texts } from "../languages/talk.ts";

/** The notice of an ended session. */
export function SessionEnded({ conversation }: { conversation: Conversation }) {
  const goOn = async () => {
    const client = await dwell();
    const request = { session_id: conversation.id, windows: "whole", key: `page-${newKey()}` } as const;
    const { session_id: id } = await client.request("session.restore", request);
    sessionsChanged();
    go({ view: "talk", session: id });
  };
  return (
    <div class="talk-ended">
      {lastError.value !== undefined && <ErrorNotice error={lastError.value} />}
      <p>
        {conversation.session.value.status === "expired"
          ? texts().thisConversationHasExpired
          : texts().thisConversationHasEnded}
      </p>
      <Button small icon="play" onPress={() => void attempt(goOn)}>
        {texts().continueNewConversation}
      </Button>
    </div>
  );
}
