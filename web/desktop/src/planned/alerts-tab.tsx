/** The list of recent alerts, and what each channel has done with them. */
import type { wire } from "@dwell/client";
import { useEffect } from "preact/hooks";
import { AlertActions } from "../alerts/notices.tsx";
import { alerts, alertsProblem, refreshAlerts, seeAlert } from "../alerts/store.ts";
import { kindOfAlert } from "../alerts/words.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Badge, EmptyState, ErrorNotice, Spinner } from "../kit/pieces.tsx";
import { openSettings } from "../settings/open.ts";
import { Moment, useNow } from "./now.tsx";
import { deliveryInWords } from "./words.ts";
import { texts } from "../languages/planned.ts";

/** The alerts, the newest first. */
export function AlertsTab() {
  const { isBusy, problem, run } = useAttempt();
  // Deliveries go on without a notice to the page.
  useEffect(() => void refreshAlerts(), []);
  const list = alerts.value;
  const fresh = (list ?? []).filter(({ seen }) => !seen);
  const seeAll = async () => {
    for (const { alert_id: id } of fresh) await seeAlert(id);
  };
  if (list === undefined && alertsProblem.value === undefined) return <Spinner label={texts().loadingAlerts} />;
  return (
    <>
      <div class="planned-lead">
        <Button small icon="settings" onPress={() => (openSettings.value = "general")}>
          {texts().soundAndNotifications}
        </Button>
        {fresh.length > 0 && (
          <Button small icon="check" disabled={isBusy} onPress={() => void run(seeAll)}>
            {texts().markAllAsSeen}
          </Button>
        )}
      </div>
      {alertsProblem.value !== undefined && <ErrorNotice error={alertsProblem.value} />}
      {problem !== undefined && <ErrorNotice error={problem} />}
      {list?.length === 0 && (
        <EmptyState icon="bell" title={texts().noAlertsYet}>
          <p>{texts().remindersTimersAnswersPlanned}</p>
        </EmptyState>
      )}
      {list && list.length > 0 && (
        <ul class="planned-list" aria-label={texts().recentAlerts}>
          {list.map((alert) => (
            <AlertRow key={alert.alert_id} alert={alert} />
          ))}
        </ul>
      )}
    </>
  );
}

function AlertRow({ alert }: { alert: wire.AlertView }) {
  const { name, icon, isBad } = kindOfAlert(alert.kind);
  return (
    <li class={alert.seen ? "card planned-row" : "card planned-row unseen-alert"}>
      <span class={isBad ? "planned-icon bad" : "planned-icon"}>
        <Icon name={icon} />
      </span>
      <div class="planned-what">
        <h3>{alert.title}</h3>
        <p class="planned-when">
          {!alert.seen && <Badge tone="accent">{texts().new}</Badge>}
          <span>{name}</span>
          <Moment at={alert.at} />
        </p>
        {alert.text && <p class="planned-text">{alert.text}</p>}
        <Deliveries alert={alert} />
        <AlertActions alert={alert} />
      </div>
    </li>
  );
}

function Deliveries({ alert }: { alert: wire.AlertView }) {
  const now = useNow();
  const entries = Object.entries(alert.deliveries);
  if (entries.length === 0) return null;
  return (
    <ul class="planned-deliveries" aria-label={texts().deliveries}>
      {entries.map(([channel, delivery]) => (
        <li key={channel} class={delivery.state === "failed" ? "planned-bad" : undefined}>
          {channel}: {deliveryInWords(delivery, now)}
        </li>
      ))}
    </ul>
  );
}
