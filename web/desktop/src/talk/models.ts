/** The available models, and the choice for the next new conversation. */
import { computed, signal } from "@preact/signals";
import { modelPage, readModels } from "../store/models.ts";

const known = computed<readonly string[]>(() => modelPage.value?.data ?? []);
let isAsked = false;

/** The names of the models; empty until they are loaded. The first access loads them. */
export const models = {
  get value(): readonly string[] {
    if (!isAsked) {
      isAsked = true;
      void readModels().catch(() => (isAsked = false));
    }
    return known.value;
  },
};

/** The model for the next new conversation; undefined means the server's default. */
export const modelForNew = signal<string | undefined>(undefined);
