/** Tools in code: a function that the model may call, with the schema of its arguments. */
import { type JsonSchema, readSchema, type StandardSchema } from "./schema.js";

/**
 * What happens if a call runs twice. `at_most_once` (the default): a call that may have run already
 * is not run again. `idempotent`: running it again does no harm, so it is run until it is answered.
 */
export type ToolEffect = "at_most_once" | "idempotent";

/** The result of a call as the model reads it. */
export type CallResult = { content: string; is_error: boolean };

/** What a running call knows of itself. */
export type ToolContext = {
  readonly sessionId: string;
  readonly turnId: string;
  readonly agentId: string | undefined;
  readonly callId: string;
  /** Names the call for services that take an idempotency key: the same however often it runs. */
  readonly key: string;
  /** When the server stops to wait for the result, as an RFC 3339 time. */
  readonly until: string | undefined;
  /** Whether the call may have been given to a worker before. */
  readonly redelivered: boolean;
  /** Aborted when the result is no longer wanted; pass it to `fetch` and the like. */
  readonly signal: AbortSignal;
  /** Shows followers of the session how far the call is; `fraction` is from 0 to 1. */
  readonly progress: (message: string, fraction?: number) => void;
};

/** A tool of this program, made by `tool`. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
  readonly effect: ToolEffect;
  /** Checks the arguments, runs the function and words what it returned or threw. */
  readonly run: (args: unknown, context: ToolContext) => Promise<CallResult>;
};

/** What a tool is made of. */
export type ToolDefinition<Args> = {
  /** 1 to 64 letters, digits, `_` and `-`. */
  name: string;
  /** What it does and when to use it. The model reads this. */
  description?: string;
  /** The arguments: a JSON Schema, or a schema object such as zod's. Default: no arguments. */
  input?: StandardSchema<Args> | JsonSchema;
  /** The JSON Schema of `input`, if its library does not convert it by itself. */
  inputSchema?: JsonSchema;
  effect?: ToolEffect;
  /**
   * Answers a call. A string is sent as it is, anything else as JSON. What it throws becomes an
   * error result, which the model reads.
   */
  run(args: Args, context: ToolContext): unknown;
};

const NO_ARGUMENTS: JsonSchema = { type: "object", properties: {} };

/** Makes a tool of a function, for `chat`, `stream`, `attach` and `serve`. */
export function tool<Args = Record<string, unknown>>(definition: ToolDefinition<Args>): Tool {
  const { name, description = "", input = NO_ARGUMENTS, inputSchema, effect = "at_most_once" } = definition;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new TypeError(`"${name}" is no name for a tool: use 1 to 64 letters, digits, _ and -`);
  }
  const schema = readSchema(input, inputSchema, `the tool ${name}`);
  const run = async (args: unknown, context: ToolContext): Promise<CallResult> => {
    try {
      const { value, faults } = await schema.check(args);
      if (faults !== undefined) {
        return failure(`The arguments are not valid: ${faults.join("; ")}. Call it again with valid ones.`);
      }
      return { content: wording(await definition.run(value as Args, context)), is_error: false };
    } catch (error) {
      return failure(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
  };
  return { name, description, input_schema: schema.json, effect, run };
}

/** An error result. */
export function failure(content: string): CallResult {
  return { content, is_error: true };
}

/** Whether this is a tool with a function, not only the declaration of one. */
export function isTool(given: object): given is Tool {
  return typeof (given as { run?: unknown }).run === "function";
}

/** Tools by name; two of one name are an error. */
export function byName(tools: readonly Tool[]): Map<string, Tool> {
  const found = new Map<string, Tool>();
  for (const one of tools) {
    if (found.has(one.name)) throw new TypeError(`there are two tools of the name ${one.name}`);
    found.set(one.name, one);
  }
  return found;
}

function wording(value: unknown): string {
  if (typeof value === "string") return value;
  // In a list, what has no JSON becomes null.
  return JSON.stringify([value]).slice(1, -1);
}
