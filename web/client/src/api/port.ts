/** What the parts of the API need of the client. */
import type { RequestName, Requests } from "../requests.js";
import type { Rest } from "../rest.js";
import { type Session, sessionRef } from "../session-ref.js";

/** Sends requests over the WebSocket, or over REST where there is no message for them. */
export type Port = {
  request<K extends RequestName>(kind: K, data: Requests[K][0]): Promise<Requests[K][1]>;
  readonly rest: Rest;
};

/** Which part of a list. */
export type PageOptions = { limit?: number | undefined; cursor?: string | undefined };

/** The id of an existing session, for REST, which knows no names. */
export async function idOf(port: Port, session: Session): Promise<string> {
  const ref = sessionRef(session);
  return "session_id" in ref ? ref.session_id : (await port.request("session.get", ref)).session_id;
}
