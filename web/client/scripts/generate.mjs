// Generates src/wire.ts from the schemas in docs/openapi.json; with --check, fails if it is
// outdated.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url));
const target = fileURLToPath(new URL("../src/wire.ts", import.meta.url));
const { schemas } = JSON.parse(readFileSync(source, "utf8")).components;

// The schemas the client uses; the schemas they reference are included.
const ROOTS = [
  "AddEntry",
  "AddFolder",
  "Alert",
  "AlertPage",
  "AlertView",
  "AppCommand",
  "ApprovalPage",
  "ApprovalResult",
  "ArtifactPage",
  "Audit",
  "BackgroundPage",
  "CancelResult",
  "ChatSend",
  "ClientResult",
  "ClientTool",
  "ClientToolOffer",
  "Code",
  "ConfigPage",
  "Consistency",
  "ContextDocument",
  "ContextPage",
  "ContextWindowView",
  "ControlRequest",
  "ControlResult",
  "DefaultModelPut",
  "DeletedSession",
  "DesktopView",
  "Entry",
  "EntryPage",
  "EntryView",
  "Event",
  "EventPage",
  "Fact",
  "FactPage",
  "FolderView",
  "ForgetResult",
  "Health",
  "HomeChanged",
  "HomeView",
  "Ingest",
  "IngestResult",
  "Interaction",
  "Invitation",
  "LibraryHits",
  "LibraryView",
  "Manifest",
  "Memory",
  "MemoryArchive",
  "MemoryForget",
  "MemoryGraph",
  "MemoryHit",
  "MemoryImport",
  "MemoryImportResult",
  "MemoryItem",
  "MemoryPage",
  "MemorySearch",
  "MemorySnapshot",
  "ModelPage",
  "ModelsChanged",
  "NodePage",
  "NewMemory",
  "NewVault",
  "PassagePage",
  "PauseResult",
  "Problem",
  "ProviderName",
  "ProviderPut",
  "ProviderTried",
  "ProviderTry",
  "PutContext",
  "ScheduleChange",
  "ScheduleCreate",
  "SchedulePage",
  "SchedulePreview",
  "ScheduleStep",
  "ScheduleTimes",
  "ScheduleView",
  "ServerStats",
  "SessionPage",
  "SessionStart",
  "SessionView",
  "SweepResult",
  "Ticket",
  "TitleUpdate",
  "ToolAnswered",
  "ToolPage",
  "TurnAccepted",
  "TurnPage",
  "TurnView",
  "Update",
  "ValueList",
  "ValuePage",
  "ValueWrite",
  "ValueWriteResult",
  "Vault",
  "VaultPage",
];
// A schema that is gone must not silently leave the client without its type.
for (const name of ROOTS) {
  if (!(name in schemas)) throw new Error(`docs/openapi.json has no schema ${name}`);
}

const INDENT = "  ";
// Schema names that mean something else in TypeScript or in a page.
const RENAMED = { Event: "SessionEvent" };
const nameOf = (ref) => ref.split("/").pop();
const typeName = (name) => RENAMED[name] ?? name;

function reachable(roots) {
  const found = new Set();
  const visit = (value) => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (value && typeof value === "object") {
      if (typeof value.$ref === "string") add(nameOf(value.$ref));
      Object.values(value).forEach(visit);
    }
  };
  const add = (name) => {
    if (found.has(name)) return;
    found.add(name);
    visit(schemas[name]);
  };
  roots.forEach(add);
  return [...found].sort();
}

function comment(text, indent) {
  if (!text) return "";
  const lines = text.split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

function union(arms) {
  const distinct = [...new Set(arms)];
  return distinct.length === 1
    ? distinct[0]
    : distinct.map((arm) => (arm.includes(" & ") ? `(${arm})` : arm)).join(" | ");
}

/** The type of a schema; several constraints become an intersection. */
function typeOf(schema, indent) {
  if (schema === true || schema === undefined) return "unknown";
  if (schema === false) return "never";
  const parts = [];
  if (schema.$ref) parts.push(typeName(nameOf(schema.$ref)));
  if (schema.properties) parts.push(objectOf(schema, indent));
  for (const arms of [schema.oneOf, schema.anyOf]) {
    if (arms) parts.push(union(arms.map((arm) => typeOf(arm, indent))));
  }
  if (parts.length > 0) {
    return parts.length === 1 ? parts[0] : parts.map((part) => (part.includes(" | ") ? `(${part})` : part)).join(" & ");
  }
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  return plain(schema, indent);
}

function plain(schema, indent) {
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array": {
      const item = typeOf(schema.items, indent);
      return /[ &|]/.test(item) ? `Array<${item}>` : `${item}[]`;
    }
    case "object":
      // Keys that have to match a pattern are texts as well.
      return `Record<string, ${typeOf(Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties ?? true, indent)}>`;
    default:
      return "unknown";
  }
}

function objectOf(schema, indent) {
  const inner = indent + INDENT;
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties).map(([name, property]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    // An optional property may also be set to undefined.
    const type = typeOf(property, inner) + (required.has(name) ? "" : " | undefined");
    return `${comment(property.description, inner)}${inner}${key}${required.has(name) ? "" : "?"}: ${type};\n`;
  });
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("")}${indent}}`;
}

const head = `// The types of the wire protocol, generated from docs/openapi.json by \`npm run generate\`. Do not edit.
// A newer server may send fields, values and events that are not listed here: ignore what you do
// not know.
`;
const body = reachable(ROOTS).map((name) => {
  const schema = schemas[name];
  return `${comment(schema.description, "")}export type ${typeName(name)} = ${typeOf(schema, "")};\n`;
});
const text = [head, ...body].join("\n");

if (process.argv.includes("--check")) {
  let kept = "";
  try {
    kept = readFileSync(target, "utf8");
  } catch {
    // A missing file counts as outdated.
  }
  if (kept !== text) {
    console.error("web/client/src/wire.ts does not match docs/openapi.json: run `npm run generate` in web/client");
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
}
