/** The models there are, and which one a conversation that is about to begin will have. */
import { computed, signal } from "@preact/signals";
import { modelPage, readModels } from "../house/models.ts";

const known = computed<readonly string[]>(() => modelPage.value?.data ?? []);
let isAsked = false;

/** The names of the models; empty until they are known. Reading it asks for them. */
export const models = {
  get value(): readonly string[] {
    if (!isAsked) {
      isAsked = true;
      void readModels().catch(() => (isAsked = false));
    }
    return known.value;
  },
};

/** What was chosen for the next new conversation; none is the server's default. */
export const modelForNew = signal<string | undefined>(undefined);
