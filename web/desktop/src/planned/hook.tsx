/** A schedule's webhook: its address, and its secret, which is shown once. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { CopyButton } from "../kit/code.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ErrorNotice, Notice, Spinner } from "../kit/pieces.tsx";
import { serverUrl } from "../kit/address.ts";
import { hookOf } from "./store.ts";

/** The whole address of a schedule's webhook. */
function addressOf(path: string): string {
  return serverUrl() + path.replace(/^\//, "");
}

/** The address in a row, with a button that copies it. */
export function HookAddress({ id }: { id: string }) {
  const address = addressOf(`/hooks/${id}`);
  return (
    <span class="planned-hook">
      <code>{address}</code>
      <CopyButton text={address} label="Copy the webhook's address" />
    </span>
  );
}

/** What the sender of the webhook needs. It is shown after the schedule is made, and not again. */
export function HookDialog({ schedule, onClose }: { schedule: wire.ScheduleView; onClose: () => void }) {
  const { schedule_id: id } = schedule;
  const [hook, setHook] = useState<{ path: string; secret: string }>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    hookOf(id).then(setHook, setProblem);
  }, [id]);
  return (
    <Dialog
      title="Its webhook"
      class="planned-dialog"
      onClose={onClose}
      foot={
        <Button kind="primary" onPress={onClose}>
          I have copied it
        </Button>
      }
    >
      {problem !== undefined && <ErrorNotice error={problem} />}
      {!hook && problem === undefined && <Spinner label="Loading the webhook" />}
      {hook && (
        <>
          <Notice tone="warning">
            <p>Copy the secret now: this page does not show it again.</p>
          </Notice>
          <Value label="Address" value={addressOf(hook.path)} />
          <Value label="Secret" value={hook.secret} />
          <p class="planned-hint">
            The sender posts to the address and signs with the secret, as Standard Webhooks describes it: the headers
            webhook-id, webhook-timestamp and webhook-signature. The same webhook-id starts nothing twice.
          </p>
        </>
      )}
    </Dialog>
  );
}

function Value({ label, value }: { label: string; value: string }) {
  return (
    <div class="planned-value">
      <label class="field">
        {label}
        <input class="input planned-code" readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <CopyButton text={value} label={`Copy the ${label.toLowerCase()}`} />
    </div>
  );
}
