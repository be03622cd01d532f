/** The models there are, and which one a conversation that is about to begin will have. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api } from "../house/api.ts";

const known = signal<readonly string[]>([]);
let isAsked = false;

/** The names of the models; empty until they are known. Reading it asks for them. */
export const models = {
  get value(): readonly string[] {
    if (!isAsked) {
      isAsked = true;
      void read();
    }
    return known.value;
  },
};

/** What was chosen for the next new conversation; none is the server's default. */
export const modelForNew = signal<string | undefined>(undefined);

async function read(): Promise<void> {
  try {
    known.value = (await api<wire.ModelPage>("GET", "/api/v1/models")).data;
  } catch {
    isAsked = false;
  }
}
