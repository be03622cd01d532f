/** Settings of alerts: browser notifications and a sound, when an answer of the user is needed. */
import { useState } from "preact/hooks";
import { allowNotifications, isNotifying, isSounding, type Permission, permission } from "../alerts/settings.ts";
import { playSound } from "../alerts/sound.ts";
import { lazy } from "../kit/lazy.tsx";
import { texts } from "../languages/settings.ts";

const PushDevices = lazy(async () => (await import("../push/devices.tsx")).PushDevices, true);

function refusals(): Partial<Record<Permission, string>> {
  return {
    denied: texts().thisBrowserBlocksNotificationsThis,
    insecure: texts().browsersAllowNotificationsOnly,
    unsupported: texts().thisBrowserHasNo,
  };
}

/** The section of the settings. */
export function Alerts() {
  const [allowed, setAllowed] = useState(permission());
  const isOn = isNotifying.value && allowed === "granted";
  const switchNotifications = (isWanted: boolean) => {
    if (isWanted) void allowNotifications().then(setAllowed);
    else isNotifying.value = false;
  };
  return (
    <section>
      <h3>{texts().alerts}</h3>
      <p class="settings-soft">{texts().whenApprovalOrQuestion}</p>
      <label class="settings-check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={refusals()[allowed] !== undefined}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            // It stays as it is until the browser has answered.
            event.currentTarget.checked = isOn;
            switchNotifications(checked);
          }}
        />
        {texts().browserNotificationsWhileAnother}
      </label>
      {refusals()[allowed] && <p class="settings-soft">{refusals()[allowed]}</p>}
      <label class="settings-check">
        <input
          type="checkbox"
          checked={isSounding.value}
          onChange={(event) => {
            isSounding.value = event.currentTarget.checked;
            if (isSounding.value) void playSound().catch(() => undefined);
          }}
        />
        {texts().aSound}
      </label>
      <PushDevices />
    </section>
  );
}
