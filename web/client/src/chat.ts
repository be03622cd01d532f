/** The options of a message, and what is sent of them. */
import type { CallRecords } from "./calls.js";
import { TurnError } from "./errors.js";
import type { Final } from "./events.js";
import type { Decision, Requests } from "./requests.js";
import { type JsonSchema, readSchema, type Schema, type StandardSchema } from "./schema.js";
import { newKey, type Session, sessionRef } from "./session-ref.js";
import { isTool, type Tool } from "./tool.js";
import type { ApprovalRequest, ChatSend, ClientTool } from "./wire.js";

/** Options of `chat` and `stream`; see `ChatSend` in `docs/reference/types.md`. */
export type ChatOptions = Partial<Omit<ChatSend, "message" | "tools" | "response_schema">> & {
  session: Session;
  /**
   * Tools of this program. Those made by `tool` are run and answered; others are only offered, and
   * the program answers their calls with `answerCalls`.
   */
  tools?: readonly (Tool | ClientTool)[] | undefined;
  /** Results of earlier processes, for a message with an idempotency key of your own. */
  records?: CallRecords | undefined;
  /** The form of the answer: a JSON Schema, or a schema object such as zod's. */
  responseSchema?: StandardSchema | JsonSchema | undefined;
  /** The JSON Schema of `responseSchema`, if its library does not convert it by itself. */
  responseJsonSchema?: JsonSchema | undefined;
};

/** Options of `chat`. */
export type ChatCallOptions = ChatOptions & {
  onApproval?: ((approval: ApprovalRequest) => Promise<Decision> | Decision) | undefined;
};

/** The form of the answer, which the result has as `parsed`. */
export type SchemaOption<P> = { responseSchema: StandardSchema<P> | JsonSchema };

/** A message that is ready to be sent. */
export type PreparedChat = {
  data: Requests["chat.send"][0] & { conversation_id?: string };
  /** The tools to run. */
  tools: Tool[];
  records: CallRecords | undefined;
  /** Whether the idempotency key is the caller's, so that the turn may exist already. */
  isOwnKey: boolean;
  parse: ((final: Final) => Promise<unknown>) | undefined;
};

/** Reads the options of a message. */
export function prepareChat(message: string, options: ChatOptions): PreparedChat {
  const { session, tools = [], records, responseSchema, responseJsonSchema, ...rest } = options;
  const schema =
    responseSchema === undefined ? undefined : readSchema(responseSchema, responseJsonSchema, "responseSchema");
  const declared = tools.map(({ name, description, input_schema }) => ({ name, description, input_schema }));
  const data = {
    ...sessionRef(session),
    message,
    ...rest,
    // The idempotency key makes it safe to send again after the connection broke.
    idempotency_key: rest.idempotency_key ?? newKey(),
    ...(declared.length === 0 ? {} : { tools: declared }),
    ...(schema === undefined ? {} : { response_schema: schema.json }),
  };
  return {
    data,
    tools: tools.filter(isTool),
    records,
    isOwnKey: (rest.idempotency_key ?? undefined) !== undefined,
    parse: schema && ((final) => parseAnswer(final, schema)),
  };
}

/** The answer as a value that matches the schema. */
async function parseAnswer(final: Final, schema: Schema): Promise<unknown> {
  const unmet = (why: string) =>
    new TurnError(`the answer ${why}`, final.status, final.turnId, final.message, "model_schema_unmet");
  let value: unknown;
  try {
    value = JSON.parse(final.message);
  } catch {
    throw unmet("is not JSON");
  }
  const checked = await schema.check(value);
  // The server has checked the JSON Schema; a library's schema may demand more.
  if (checked.faults !== undefined) throw unmet(`does not match the schema: ${checked.faults.join("; ")}`);
  return checked.value;
}
