/** How artifacts are displayed, by media type. Pure. */
import { texts } from "../languages/artifacts.ts";

/** How an artifact is displayed; `none` can only be downloaded. */
export type Shape = "markdown" | "html" | "table" | "picture" | "text" | "none";

const PICTURES = new Set(["image/svg+xml", "image/png", "image/jpeg", "image/webp", "image/gif"]);
const TEXTS = new Set(["application/json", "application/xml", "application/x-ndjson", "application/yaml"]);
/** Larger texts are not loaded into the page. */
const TEXT_BYTES_MAX = 2_000_000;

/** How an artifact is displayed, by media type and size. */
export function shapeOf(mediaType: string, bytes = 0): Shape {
  const kind = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (PICTURES.has(kind)) return "picture";
  const shape = textShape(kind);
  return shape !== "none" && bytes > TEXT_BYTES_MAX ? "none" : shape;
}

function textShape(kind: string): Shape {
  switch (kind) {
    case "text/markdown":
      return "markdown";
    case "text/html":
    case "application/xhtml+xml":
      return "html";
    case "text/csv":
      return "table";
    default:
      return kind.startsWith("text/") || TEXTS.has(kind) ? "text" : "none";
  }
}

/** The label of a media type. */
export function kindWords(mediaType: string): string {
  const kind = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (kind === "image/svg+xml") return texts().drawing;
  const words: Record<Shape, string> = {
    markdown: texts().report,
    html: texts().page,
    table: texts().table,
    picture: texts().image,
    text: texts().text,
    none: kind,
  };
  return words[shapeOf(kind)];
}
