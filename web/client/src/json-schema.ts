/**
 * Checks values against the part of JSON Schema that tools use. Keywords that are not listed here
 * are ignored, so a value is never refused for something this file does not know.
 */
import { codePoints } from "./transcript.js";

type Schema = Record<string, unknown>;
type Report = (place: string, fault: string) => void;

/** The maximum depth; references can form a circle. */
const DEPTH_MAX = 64;
/** The maximum number of faults that are reported. */
const FAULTS_MAX = 10;

/** Why a value does not match a schema; empty if it does. */
export function faultsOf(schema: Schema, value: unknown): string[] {
  const faults: string[] = [];
  check(schema, value, { root: schema, place: "", depth: 0 }, (place, fault) => {
    if (faults.length < FAULTS_MAX) faults.push(place === "" ? fault : `${place}: ${fault}`);
  });
  return faults;
}

type Context = { root: Schema; place: string; depth: number };

function check(schema: unknown, value: unknown, context: Context, report: Report): void {
  if (context.depth > DEPTH_MAX || schema === true) return;
  if (schema === false) {
    report(context.place, "must be absent");
    return;
  }
  if (!isObject(schema)) return;
  const deeper = { ...context, depth: context.depth + 1 };
  if (typeof schema["$ref"] === "string") check(resolve(context.root, schema["$ref"]), value, deeper, report);
  if (!checkType(schema, value, context.place, report)) return;
  if (isObject(value)) checkObject(schema, value, deeper, report);
  else if (Array.isArray(value)) checkArray(schema, value, deeper, report);
  else checkScalar(schema, value, context.place, report);
  checkArms(schema, value, deeper, report);
}

function checkType(schema: Schema, value: unknown, place: string, report: Report): boolean {
  const { type } = schema;
  const types = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : [];
  if (types.length > 0 && !types.some((name) => isOf(name, value))) {
    report(place, `must be ${types.map(article).join(" or ")}, not ${article(nameOf(value))}`);
    return false;
  }
  if ("const" in schema && !isSame(schema["const"], value)) report(place, `must be ${JSON.stringify(schema["const"])}`);
  if (Array.isArray(schema["enum"]) && !schema["enum"].some((arm) => isSame(arm, value))) {
    report(place, `must be one of ${schema["enum"].map((arm) => JSON.stringify(arm)).join(", ")}`);
  }
  return true;
}

function checkObject(schema: Schema, value: Schema, context: Context, report: Report): void {
  const at = (name: string) => (context.place === "" ? name : `${context.place}.${name}`);
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  for (const name of required) if (!Object.hasOwn(value, name)) report(at(name), "is missing");
  for (const [name, part] of Object.entries(value)) {
    const place = at(name);
    if (Object.hasOwn(properties, name)) check(properties[name], part, { ...context, place }, report);
    else if (schema["additionalProperties"] === false && schema["patternProperties"] === undefined) {
      report(place, "is not a known property");
    } else if (isObject(schema["additionalProperties"])) {
      check(schema["additionalProperties"], part, { ...context, place }, report);
    }
  }
}

function checkArray(schema: Schema, value: unknown[], context: Context, report: Report): void {
  limit(schema, "minItems", (least) => value.length >= least, "items or more", context.place, report);
  limit(schema, "maxItems", (most) => value.length <= most, "items or fewer", context.place, report);
  const first = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : [];
  for (const [index, item] of value.entries()) {
    const place = `${context.place}[${index}]`;
    check(first[index] ?? schema["items"] ?? true, item, { ...context, place }, report);
  }
}

function checkScalar(schema: Schema, value: unknown, place: string, report: Report): void {
  if (typeof value === "number") {
    limit(schema, "minimum", (least) => value >= least, "or more", place, report);
    limit(schema, "maximum", (most) => value <= most, "or less", place, report);
    limit(schema, "exclusiveMinimum", (least) => value > least, "exceeded", place, report);
    limit(schema, "exclusiveMaximum", (most) => value < most, "not reached", place, report);
  }
  if (typeof value === "string") {
    const length = codePoints(value);
    limit(schema, "minLength", (least) => length >= least, "characters or more", place, report);
    limit(schema, "maxLength", (most) => length <= most, "characters or fewer", place, report);
    const { pattern } = schema;
    if (typeof pattern === "string" && !matches(pattern, value)) report(place, `must match ${pattern}`);
  }
}

function checkArms(schema: Schema, value: unknown, context: Context, report: Report): void {
  const holds = (arm: unknown) => {
    let isHeld = true;
    check(arm, value, context, () => (isHeld = false));
    return isHeld;
  };
  const arms = (name: string): unknown[] => (Array.isArray(schema[name]) ? schema[name] : []);
  for (const arm of arms("allOf")) check(arm, value, context, report);
  const any = arms("anyOf");
  if (any.length > 0 && !any.some(holds)) report(context.place, "matches none of the allowed forms");
  const one = arms("oneOf");
  if (one.length > 0 && one.filter(holds).length !== 1) report(context.place, "must match exactly one form");
  if (schema["not"] !== undefined && holds(schema["not"])) report(context.place, "has a form that is not allowed");
}

function limit(
  schema: Schema,
  name: string,
  holds: (bound: number) => boolean,
  words: string,
  place: string,
  report: Report,
): void {
  const bound = schema[name];
  if (typeof bound === "number" && !holds(bound)) report(place, `must be ${bound} ${words}`);
}

/** A reference within the schema; what cannot be found allows everything. */
function resolve(root: Schema, ref: string): unknown {
  if (!ref.startsWith("#")) return true;
  const names = ref.split("/").slice(1);
  return names.reduce<unknown>((at, name) => {
    const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
    return isObject(at) ? (at[key] ?? true) : true;
  }, root);
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    // A pattern of another dialect is not for this check.
    return true;
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "array" : typeof value;
}

function isOf(type: string, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  return nameOf(value) === type;
}

function article(type: string): string {
  if (type === "null" || type === "nothing") return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function isSame(one: unknown, other: unknown): boolean {
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one);
    return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  return one === other;
}
