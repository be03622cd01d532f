/** The texts of the view of what is planned, in the page's language. */
import { area } from "./area.ts";
import { planned } from "./en/planned.ts";

export const texts = area("planned", planned);
