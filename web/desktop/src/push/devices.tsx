/** The devices that are notified while no page is open, in the settings. */
import { useEffect } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { exactTime } from "../kit/format.ts";
import { Badge, ErrorNotice } from "../kit/pieces.tsx";
import { loadPush, ownDevice, push, removeDevice, subscribeThisDevice } from "./store.ts";
import { canHaveWorker } from "./worker.ts";
import { texts } from "../languages/settings.ts";
import "./devices.css";

/** The list, with an offer for this device. It is empty where the server has no key. */
export function PushDevices() {
  const { isBusy, problem, run } = useAttempt();
  useEffect(() => {
    // Without it the settings are as before; the next time may work.
    loadPush().catch(() => undefined);
  }, []);
  const now = push.value;
  if (now?.public_key === undefined) return null;
  const isOn = now.devices.some(({ device_id: id }) => id === ownDevice.value);
  const subscribe = async () => {
    await subscribeThisDevice();
    announce(texts().thisDeviceNotifiedFrom);
  };
  return (
    <div class="push" role="group" aria-label={texts().devicesThatAreNotified}>
      <p class="settings-soft">{texts().alertsCanReachDevice}</p>
      {!isOn && canHaveWorker() && (
        <Button icon="bell" disabled={isBusy} onPress={() => void run(subscribe)}>
          {texts().notifyMeThisDevice}
        </Button>
      )}
      {!canHaveWorker() && <p class="settings-soft">{texts().thisNeedsHttpsOr}</p>}
      {now.devices.length > 0 && (
        <ul class="push-list">
          {now.devices.map(({ device_id: id, name, service, added_at: added }) => (
            <li key={id}>
              <span class="push-name">
                {name ?? texts().aBrowser} {id === ownDevice.value && <Badge tone="accent">{texts().thisDevice}</Badge>}
                <small>
                  {texts().by} {service}
                  {added !== undefined && texts().sinceAdded(exactTime(added))}
                </small>
              </span>
              <IconButton
                icon="trash"
                small
                label={texts().stopNotifyingName(name ?? texts().thisBrowser)}
                disabled={isBusy}
                onPress={() => void run(() => removeDevice(id))}
              />
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </div>
  );
}
