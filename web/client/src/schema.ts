/** Schemas that a program gives: JSON Schema, or an object of a library such as zod. */
import { faultsOf } from "./json-schema.js";

/** A JSON Schema. */
export type JsonSchema = Record<string, unknown>;

type Issue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};
type Verdict<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly value?: unknown; readonly issues: readonly Issue[] };

/**
 * A schema object of a library: zod, valibot, arktype and others have this interface, which is
 * called Standard Schema.
 */
export type StandardSchema<Out = unknown> = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Verdict<Out> | Promise<Verdict<Out>>;
    readonly types?: { readonly input: unknown; readonly output: Out } | undefined;
    readonly jsonSchema?: { readonly input: (options: { target: "draft-2020-12" }) => JsonSchema } | undefined;
  };
};

/** The value that a schema describes, or why another one does not match it. */
export type Checked = { value: unknown; faults?: undefined } | { value?: undefined; faults: string[] };

/** A schema in both uses: it is sent to the server, and values are checked against it. */
export type Schema = { json: JsonSchema; check(value: unknown): Promise<Checked> };

/**
 * Reads a schema. `json` is its JSON Schema, for libraries whose objects do not convert themselves;
 * `what` names it in errors.
 */
export function readSchema(given: StandardSchema | JsonSchema, json: JsonSchema | undefined, what: string): Schema {
  if (isStandard(given)) {
    const standard = given["~standard"];
    const converted = json ?? convert(given);
    if (converted === undefined) {
      throw new TypeError(
        `${what}: this ${standard.vendor} schema does not convert itself to JSON Schema: pass that too, as its own option`,
      );
    }
    return { json: withoutDialect(converted), check: (value) => checkStandard(given, value) };
  }
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new TypeError(`${what}: pass a JSON Schema, or a schema object such as zod's`);
  }
  const root = json ?? given;
  const check = (value: unknown): Promise<Checked> => {
    const faults = faultsOf(given, value);
    return Promise.resolve(faults.length === 0 ? { value } : { faults });
  };
  return { json: root, check };
}

function isStandard(given: StandardSchema | JsonSchema): given is StandardSchema {
  // Some libraries have callable schemas, so it need not be a plain object.
  const standard = (given as { "~standard"?: { validate?: unknown } } | null)?.["~standard"];
  return typeof standard?.validate === "function";
}

function convert(given: StandardSchema): JsonSchema | undefined {
  const { jsonSchema } = given["~standard"];
  if (jsonSchema !== undefined) return jsonSchema.input({ target: "draft-2020-12" });
  const own = given as { toJSONSchema?: unknown; toJsonSchema?: unknown };
  for (const method of [own.toJSONSchema, own.toJsonSchema]) {
    if (typeof method === "function") return method.call(given) as JsonSchema;
  }
  return undefined;
}

/** Some providers of models refuse a schema that names its dialect. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  const { $schema: _, "~standard": __, ...rest } = schema;
  return rest;
}

async function checkStandard(schema: StandardSchema, value: unknown): Promise<Checked> {
  const verdict = await schema["~standard"].validate(value);
  if (verdict.issues === undefined) return { value: verdict.value };
  return {
    faults: verdict.issues.map(({ message, path = [] }) => {
      const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
      return place === "" ? message : `${place}: ${message}`;
    }),
  };
}
