/** The desktop of a session: windows, dialogs, monitors and apps. */
import type { Requests } from "../requests.js";
import { newKey, type Session, sessionRef } from "../session-ref.js";
import type { AppCommand, DesktopView, Interaction, Manifest, TurnAccepted } from "../wire.js";
import type { Port } from "./port.js";

/** More about an action in a window. */
export type ActionOptions = {
  /** Your own id of this action. */
  actionId?: string;
  formData?: Record<string, unknown>;
  componentPath?: string;
  /** Runs beside the running turn of the window's agent. */
  parallel?: boolean;
};

/** An app in a window, by the token that it was opened with. */
export type AppRef = { windowId: string; token: string };

/** `client.desktop`: what a page does for its user. */
export class Desktop {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** The desktop of a session. */
  get(session: Session): Promise<DesktopView> {
    return this.#port.request("desktop.get", sessionRef(session));
  }

  /** Sends a message to the agent of a window; `attach` streams its turn. */
  message(session: Session, windowId: string, content: string): Promise<TurnAccepted> {
    const data = { ...sessionRef(session), window_id: windowId, content, idempotency_key: newKey() };
    return this.#port.request("window.message", data);
  }

  /** Presses a control in a window; `attach` streams the turn that follows. */
  act(session: Session, windowId: string, action: string, options: ActionOptions = {}): Promise<TurnAccepted> {
    const { actionId, formData, componentPath, parallel } = options;
    const more = { action_id: actionId, form_data: formData, component_path: componentPath, parallel };
    const data = { ...sessionRef(session), window_id: windowId, action, idempotency_key: newKey(), ...more };
    return this.#port.request("window.action", data);
  }

  /** Reports what the user did: closed, moved, focused a window, and so on. At most 64 at once. */
  async report(session: Session, ...interactions: Interaction[]): Promise<void> {
    await this.#port.request("user.interaction", { ...sessionRef(session), interactions });
  }

  /** Reports whether a window could be rendered; with an `error` it could not. */
  async rendered(session: Session, windowId: string, error?: string): Promise<void> {
    const data = { ...sessionRef(session), window_id: windowId, ok: error === undefined, error };
    await this.#port.request("render.feedback", data);
  }

  /** Answers a dialog; without a choice it is dismissed. */
  async answerDialog(session: Session, dialogId: string, choice?: string): Promise<void> {
    await this.#port.request("dialog.answer", { ...sessionRef(session), dialog_id: dialogId, choice });
  }

  /** Answers a prompt; without values it is dismissed. */
  async answerPrompt(session: Session, dialogId: string, values?: Record<string, unknown>): Promise<void> {
    await this.#port.request("prompt.answer", { ...sessionRef(session), dialog_id: dialogId, values });
  }

  /** Dismisses a toast or a notification, or chooses its action. */
  async actOnToast(session: Session, toastId: string, action = "dismiss"): Promise<void> {
    await this.#port.request("toast.action", { ...sessionRef(session), toast_id: toastId, action });
  }

  /**
   * Follows a monitor, and adds it if it does not exist. The connection then gets only the events
   * of the monitors it has named; `watchMonitors` does this for a `follow`, across reconnections.
   */
  subscribeMonitor(session: Session, monitorId: string): Promise<DesktopView> {
    return this.#port.request("monitor.subscribe", { ...sessionRef(session), monitor_id: monitorId });
  }

  /** Removes a monitor and everything on it. */
  removeMonitor(session: Session, monitorId: string): Promise<DesktopView> {
    return this.#port.request("monitor.remove", { ...sessionRef(session), monitor_id: monitorId });
  }

  /** Declares that an app is loaded, with what it can do; the answer restores its earlier state. */
  appReady(session: Session, app: AppRef, manifest: Manifest): Promise<{ restore?: AppCommand[] }> {
    const { windowId, token } = app;
    return this.#port.request("app.ready", { ...sessionRef(session), window_id: windowId, token, manifest });
  }

  /** Sends an app's answer to a request of an agent: a value, or an error. */
  async appResponse(
    session: Session,
    app: AppRef,
    requestId: string,
    answer: { value: unknown } | { error: string },
  ): Promise<void> {
    const { windowId, token } = app;
    const data = { ...sessionRef(session), window_id: windowId, token, request_id: requestId, ...answer };
    await this.#port.request("app.response", data satisfies Requests["app.response"][0]);
  }
}
