/** The texts of the list of sessions, of versions of a message and of finding in a conversation, in the page's language. */
import { area } from "./area.ts";
import { sessions } from "./en/sessions.ts";

export const texts = area("sessions", sessions);
