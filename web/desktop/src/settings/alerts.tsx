/** Settings of alerts: browser notifications and a sound, when an answer of the user is needed. */
import { useState } from "preact/hooks";
import { allowNotifications, isNotifying, isSounding, type Permission, permission } from "../alerts/settings.ts";
import { playSound } from "../alerts/sound.ts";
import { lazy } from "../kit/lazy.tsx";

const PushDevices = lazy(async () => (await import("../push/devices.tsx")).PushDevices, true);

const WHY_NOT: Partial<Record<Permission, string>> = {
  denied: "This browser blocks notifications of this page. Allow them in its settings for this address.",
  insecure: "Browsers allow notifications only over HTTPS or on this computer itself (localhost).",
  unsupported: "This browser has no notifications.",
};

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
      <h3>Alerts</h3>
      <p class="settings-soft">
        When an approval or a question waits for you, a reminder is due, or something planned has its answer or failed.
        The title of the tab always shows how many there are.
      </p>
      <label class="settings-check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={WHY_NOT[allowed] !== undefined}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            // It stays as it is until the browser has answered.
            event.currentTarget.checked = isOn;
            switchNotifications(checked);
          }}
        />
        Browser notifications while another window is in front
      </label>
      {WHY_NOT[allowed] && <p class="settings-soft">{WHY_NOT[allowed]}</p>}
      <label class="settings-check">
        <input
          type="checkbox"
          checked={isSounding.value}
          onChange={(event) => {
            isSounding.value = event.currentTarget.checked;
            if (isSounding.value) void playSound().catch(() => undefined);
          }}
        />
        A sound
      </label>
      <PushDevices />
    </section>
  );
}
