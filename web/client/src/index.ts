/**
 * Client of Dwell, for browsers and Node.
 *
 * ```ts
 * const dwell = await connect("http://127.0.0.1:7437", { token });
 * const final = await dwell.chat("What is 2 + 3?", { session: "kitchen" });
 * ```
 */
export { type Access, ticketFrom } from "./access.js";
export type { Alerts } from "./api/alerts.js";
export type { Approvals } from "./api/approvals.js";
export type { Artifacts } from "./api/artifacts.js";
export type { ActionOptions, AppRef, Desktop } from "./api/desktop.js";
export type { Home } from "./api/home.js";
export type { Library } from "./api/library.js";
export type { Memories, MemoryStore } from "./api/memory.js";
export type { PageOptions } from "./api/port.js";
export type { ScheduleOptions, Schedules } from "./api/schedules.js";
export type { NodeOptions, ServerCalls } from "./api/server.js";
export type { ExportFormat } from "./api/sessions.js";
export type { Values } from "./api/values.js";
export type { Vaults } from "./api/vaults.js";
export type { CallRecords } from "./calls.js";
export type { ChatOptions } from "./chat.js";
export { type ConnectOptions, connect, Dwell, type FollowOptions } from "./client.js";
export type { Patience, SocketLike, SocketMaker } from "./connection.js";
export { CannotConnect, ConnectionLost, DwellError, Refused, TurnError } from "./errors.js";
export type { DesktopSnapshot, FeedEvent, Final, LiveEvent, Progress, TurnEvent } from "./events.js";
/** @deprecated Renamed to `FeedEvent`. */
export type { FeedEvent as Told } from "./events.js";
export {
  type Decision,
  isRepeatable,
  REPEATABLE,
  type RequestName,
  type Requests,
  type Scope,
  type SessionRef,
} from "./requests.js";
export type { Rest, RestOptions } from "./rest.js";
export type { JsonSchema, StandardSchema } from "./schema.js";
export { type Session, sessionRef } from "./session-ref.js";
export { TurnStream } from "./stream.js";
export { type CallResult, type Tool, tool, type ToolContext, type ToolDefinition, type ToolEffect } from "./tool.js";
export { codePoints, sliceCodePoints, Transcript } from "./transcript.js";
export type { ServeOptions, ToolWorker } from "./worker.js";
export type * as wire from "./wire.js";
