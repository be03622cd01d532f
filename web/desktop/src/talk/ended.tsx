/** A session that takes no more messages: it can go on in a new one. */
import type { Conversation } from "../house/conversation.ts";
import { dwell } from "../house/connection.ts";
import { newKey } from "../house/key.ts";
import { changed } from "../house/sessions.ts";
import { Button } from "../kit/button.tsx";
import { Trouble } from "../kit/pieces.tsx";
import { go } from "../route.ts";
import { attempt, mishap } from "./attempt.ts";

/** What stands where one would write. */
export function Ended({ conversation }: { conversation: Conversation }) {
  const goOn = async () => {
    const client = await dwell();
    const request = { session_id: conversation.id, windows: "whole", key: `page-${newKey()}` } as const;
    const { session_id: id } = await client.request("session.restore", request);
    changed();
    go({ view: "talk", session: id });
  };
  return (
    <div class="talk-ended">
      {mishap.value !== undefined && <Trouble error={mishap.value} />}
      <p>
        {conversation.session.value.status === "expired"
          ? "This conversation has expired, since nothing had happened in it for long. What was said stays here to read."
          : "This conversation has ended. What was said stays here to read."}
      </p>
      <Button small icon="play" onPress={() => void attempt(goOn)}>
        Go on in a new one
      </Button>
    </div>
  );
}
