/** The texts of approvals, questions of agents and toasts, in the page's language. */
import { area } from "./area.ts";
import { approvals } from "./en/approvals.ts";

export const texts = area("approvals", approvals);
