/**
 * Client of Dwell, for browsers and Node.
 *
 * ```ts
 * const dwell = await connect("http://127.0.0.1:7437", { token });
 * const final = await dwell.chat("What is 2 + 3?", { session: "kitchen" });
 * ```
 */
export {
  type ChatOptions,
  type ConnectOptions,
  connect,
  Dwell,
  type FollowOptions,
  type Memories,
  type Session,
  sessionRef,
} from "./client.js";
export { CannotConnect, ConnectionLost, DwellError, Refused, TurnError } from "./errors.js";
export type { DesktopSnapshot, FeedEvent, Final, LiveEvent, Progress, TurnEvent } from "./events.js";
/** @deprecated Renamed to `FeedEvent`. */
export type { FeedEvent as Told } from "./events.js";
export { type Access, type Patience, type SocketLike, type SocketMaker, ticketFrom } from "./connection.js";
export {
  type Decision,
  isRepeatable,
  REPEATABLE,
  type RequestName,
  type Requests,
  type Scope,
  type SessionRef,
} from "./requests.js";
export { TurnStream } from "./stream.js";
export { codePoints, sliceCodePoints, Transcript } from "./transcript.js";
export type * as wire from "./wire.js";
