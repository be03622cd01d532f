/** Context for desktop components: the open session and its desktop. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import type { DesktopStore } from "./store.ts";

/** The session whose desktop is shown. */
export const ConversationContext = createContext<Conversation | undefined>(undefined);

/** The session of the surrounding desktop. */
export function useConversation(): Conversation {
  const open = useContext(ConversationContext);
  if (open === undefined) throw new Error("this component needs a desktop around it");
  return open;
}

/** The surrounding desktop. */
export function useDesktop(): DesktopStore {
  return useConversation().desktop;
}
