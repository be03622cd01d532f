/** Prompts with variables, and personas: what they consist of. Pure. */

/** A text to send again and again. `{{name}}` in it is a variable. */
export type Prompt = { id: string; title: string; text: string };

/** Who answers in a new session: instructions, a model, and the only tools that may be called. */
export type Persona = {
  id: string;
  name: string;
  instructions: string;
  model?: string | undefined;
  /** Undefined means all tools. */
  tools?: readonly string[] | undefined;
};

/** Limits of what is written in the forms. */
export const TITLE_MAX = 80;
export const TEXT_MAX = 20_000;

const VARIABLE = /\{\{\s*([^{}\n]{1,60}?)\s*\}\}/g;

/** The names of a text's variables, each once, in their order. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map((fit) => fit[1] ?? ""))];
}

/** The text with its variables filled in. A variable without a value stays as it is. */
export function filled(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
}

/** Reads a stored prompt; undefined if it is none. */
export function readPrompt(id: string, value: unknown): Prompt | undefined {
  if (!isRecord(value)) return undefined;
  const { title, text } = value;
  return typeof title === "string" && typeof text === "string" ? { id, title, text } : undefined;
}

/** Reads a stored persona; undefined if it is none. */
export function readPersona(id: string, value: unknown): Persona | undefined {
  if (!isRecord(value)) return undefined;
  const { name, instructions, model, tools } = value;
  if (typeof name !== "string" || typeof instructions !== "string") return undefined;
  return {
    id,
    name,
    instructions,
    model: typeof model === "string" ? model : undefined,
    tools: Array.isArray(tools) ? tools.filter((tool) => typeof tool === "string") : undefined,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** What a session of a persona starts with. */
export function settingsOf({ name, instructions, model, tools }: Persona): {
  model?: string;
  preferences: Record<string, unknown>;
  policy?: { allow: string[] };
} {
  return {
    ...(model !== undefined && { model }),
    preferences: { persona: name, ...(instructions.trim() !== "" && { instructions: instructions.trim() }) },
    ...(tools !== undefined && { policy: { allow: [...tools] } }),
  };
}
