/** The texts of the agents' view and the statistics, in the page's language. */
import { area } from "./area.ts";
import { agents } from "./en/agents.ts";

export const texts = area("agents", agents);
