/**
 * Reads texts in the page's language. A view imports the English texts of its area and no others,
 * so that they are loaded with the view; another language is loaded as a whole when it is chosen.
 *
 * Texts are properties and functions of plain objects: the compiler knows every key and parameter,
 * and that is all a page of this size needs. A library would bring a parser for message formats
 * (20 KB and more) and keys that are checked when they are used only.
 */
import type { Catalogue } from "./catalogue.ts";
import { translation } from "./current.ts";

/**
 * The texts of an area. Call it where the text is shown: a component that does is rendered again
 * when the language changes.
 */
export function area<Name extends keyof Catalogue>(name: Name, english: Catalogue[Name]): () => Catalogue[Name] {
  return () => translation.value?.[name] ?? english;
}
