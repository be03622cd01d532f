/** The texts of the view of the home, in the page's language. */
import { area } from "./area.ts";
import { home } from "./en/home.ts";

export const texts = area("home", home);
