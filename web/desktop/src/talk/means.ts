/** What the open conversation is answered with: its model and the server's tools. */
import { modelPage } from "../store/models.ts";
import { current } from "../store/sessions.ts";
import { tools } from "../store/tools.ts";
import { isOfflineModel, type Means } from "./ideas.ts";
import { modelForNew, models } from "./models.ts";

/** The means of the open conversation, or of the next new one. */
export function means(): Means {
  // Reading the names loads the models.
  void models.value;
  const conversation = current.value;
  const chosen = conversation ? conversation.session.value.settings.model : modelForNew.value;
  return { isOffline: isOfflineModel(modelPage.value, chosen ?? undefined), tools: new Set(tools.value.keys()) };
}

/** Whether it is known that only the offline model answers. */
export function isKnownOffline(): boolean {
  return modelPage.value !== undefined && means().isOffline;
}
