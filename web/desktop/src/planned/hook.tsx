/** A schedule's webhook: its address, and its secret, which is shown once. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../kit/button.tsx";
import { CopyButton } from "../kit/code.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ErrorNotice, Notice, Spinner } from "../kit/pieces.tsx";
import { serverUrl } from "../kit/address.ts";
import { hookOf } from "./store.ts";
import { texts } from "../languages/planned.ts";

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
      <CopyButton text={address} label={texts().copyTheWebhooksAddress} />
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
      title={texts().itsWebhook}
      class="planned-dialog"
      onClose={onClose}
      foot={
        <Button kind="primary" onPress={onClose}>
          {texts().iHaveCopiedIt}
        </Button>
      }
    >
      {problem !== undefined && <ErrorNotice error={problem} />}
      {!hook && problem === undefined && <Spinner label={texts().loadingTheWebhook} />}
      {hook && (
        <>
          <Notice tone="warning">
            <p>{texts().copySecretNowThis}</p>
          </Notice>
          <Value label={texts().address} value={addressOf(hook.path)} />
          <Value label={texts().secret} value={hook.secret} />
          <p class="planned-hint">{texts().theSenderPostsAddress}</p>
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
      <CopyButton text={value} label={texts().copyValue(label)} />
    </div>
  );
}
