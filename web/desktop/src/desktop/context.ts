/** What everything on the desktop needs: the desktop, and the session it belongs to. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Conversation } from "../house/conversation.ts";
import type { Desk } from "./desk.ts";

/** The session whose desktop is shown. */
export const Open = createContext<Conversation | undefined>(undefined);

/** The session whose desktop this is part of. */
export function useOpen(): Conversation {
  const open = useContext(Open);
  if (open === undefined) throw new Error("this is shown on a desktop only");
  return open;
}

/** The desktop this is part of. */
export function useDesk(): Desk {
  return useOpen().desk;
}
