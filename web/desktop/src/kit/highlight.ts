/** Syntax highlighting. A separate chunk, loaded with the first code block. */
import { common, createLowlight } from "lowlight";

/** A part of highlighted code: text, or parts with the class names of their kind. */
export type CodePart = string | { names: string; parts: CodePart[] };

const lowlight = createLowlight(common);
/** A cache of recent results, since scrolling mounts and unmounts blocks. */
const known = new Map<string, CodePart[]>();
const KNOWN_MAX = 60;

/** Highlights code; undefined if the language is unknown. */
export function highlight(code: string, language: string): CodePart[] | undefined {
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

function partsOf(nodes: readonly Node[]): CodePart[] {
  return nodes.flatMap((node): CodePart[] => {
    if (node.type === "text") return [node.value];
    if (node.type !== "element") return [];
    const { className } = node.properties;
    const names = Array.isArray(className) ? className.join(" ") : "";
    const parts = partsOf(node.children.filter((child) => child.type !== "comment"));
    return [{ names, parts }];
  });
}
