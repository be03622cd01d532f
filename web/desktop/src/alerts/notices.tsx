/** Notices of alerts above every view. They stay until they are seen or closed. */
import type { wire } from "@dwell/client";
import { useWidth } from "../desktop/screen.ts";
import { describeError } from "../store/api.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { hrefOf, place } from "../route.ts";
import { closeNotice, noticed, seeAlert, snoozeAlert } from "./store.ts";
import { placeOf } from "./waiting.ts";
import { canSnooze, kindOfAlert, openLabel } from "./words.ts";
import { texts } from "../languages/shell.ts";
import "./notices.css";

/** More would cover the view; the list of alerts has them all. */
const SHOWN_MAX = 3;
/** On a phone one covers enough. */
const PHONE_PX = 720;
/** The start of a long answer; the link leads to the rest. */
const TEXT_CHARS_MAX = 160;

/** The notices, the newest first. The list of alerts shows the same with the same actions. */
export function AlertNotices() {
  const { view, detail, session } = place.value;
  const isListed = view === "planned" && detail === "alerts";
  const all = isListed ? [] : noticed.value;
  const shown = all.slice(0, useWidth() > PHONE_PX ? SHOWN_MAX : 1);
  const more = all.length - shown.length;
  return (
    <ul aria-label={texts().alerts}>
      {shown.map((alert) => (
        <AlertNotice key={alert.alert_id} alert={alert} />
      ))}
      {more > 0 && (
        <li class="alert-more">
          <a class="button small" href={hrefOf({ view: "planned", session, detail: "alerts" })}>
            {texts().moreAlertCount(more)}
          </a>
        </li>
      )}
    </ul>
  );
}

function AlertNotice({ alert }: { alert: wire.AlertView }) {
  const { name, icon, isBad } = kindOfAlert(alert.kind);
  const { text = "" } = alert;
  return (
    <li class={isBad ? "toast danger" : "toast info"}>
      <Icon name={icon} small />
      <div>
        <p class="alert-kind">{name}</p>
        <p class="toast-title">{alert.title}</p>
        {text !== "" && <p>{text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)}…` : text}</p>}
        <AlertActions alert={alert} />
      </div>
      <IconButton
        icon="close"
        label={texts().closeTitle(alert.title)}
        small
        onPress={() => closeNotice(alert.alert_id)}
      />
    </li>
  );
}

/** What can be done with an alert: open it, repeat it later, mark it as seen. */
export function AlertActions({ alert }: { alert: wire.AlertView }) {
  const { isBusy, problem, run } = useAttempt();
  const see = () => void run(() => seeAlert(alert.alert_id));
  const to = placeOf(alert);
  // The open conversation stays open.
  const href = hrefOf(to.view === "planned" ? { ...to, session: place.value.session } : to);
  return (
    <>
      <div class="alert-actions">
        <a class="button small" href={href} onClick={alert.seen ? undefined : see}>
          {openLabel(alert)}
        </a>
        {canSnooze(alert) && !alert.seen && (
          <Button small disabled={isBusy} onPress={() => void run(() => snoozeAlert(alert))}>
            {texts().snooze10Min}
          </Button>
        )}
        {!alert.seen && (
          <Button small kind="plain" disabled={isBusy} onPress={see}>
            {texts().markAsSeen}
          </Button>
        )}
      </div>
      {problem !== undefined && (
        <p class="alert-problem" role="alert">
          {describeError(problem).message}
        </p>
      )}
    </>
  );
}
