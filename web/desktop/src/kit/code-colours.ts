/** Colours of code. This is in a chunk of its own, loaded with the first code that is shown. */
import { common, createLowlight } from "lowlight";

/** Code with names for what its parts are. */
export type Coloured = string | { names: string; parts: Coloured[] };

const lowlight = createLowlight(common);
/** What was coloured last: blocks come and go while one scrolls. */
const known = new Map<string, Coloured[]>();
const KNOWN_MAX = 60;

/** The parts of a code; undefined where the language is not known. */
export function colour(code: string, language: string): Coloured[] | undefined {
  if (!lowlight.registered(language)) return undefined;
  const key = `${language}\n${code}`;
  let parts = known.get(key);
  if (!parts) {
    parts = partsOf(lowlight.highlight(language, code).children);
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value ?? "");
    known.set(key, parts);
  }
  return parts;
}

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

function partsOf(nodes: readonly Node[]): Coloured[] {
  return nodes.flatMap((node): Coloured[] => {
    if (node.type === "text") return [node.value];
    if (node.type !== "element") return [];
    const { className } = node.properties;
    const names = Array.isArray(className) ? className.join(" ") : "";
    const parts = partsOf(node.children.filter((child) => child.type !== "comment"));
    return [{ names, parts }];
  });
}
