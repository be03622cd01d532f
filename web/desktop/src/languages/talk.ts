/** The texts of the chat, in the page's language. */
import { area } from "./area.ts";
import { talk } from "./en/talk.ts";

export const texts = area("talk", talk);
