/** The texts of files that a conversation made, in the page's language. */
import { area } from "./area.ts";
import { artifacts } from "./en/artifacts.ts";

export const texts = area("artifacts", artifacts);
