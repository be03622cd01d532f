/** The texts of the memory view, in the page's language. */
import { area } from "./area.ts";
import { memory } from "./en/memory.ts";

export const texts = area("memory", memory);
