/** The texts of sources, research and recalled memories, in the page's language. */
import { area } from "./area.ts";
import { sources } from "./en/sources.ts";

export const texts = area("sources", sources);
