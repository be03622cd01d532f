/** The server's tools and their descriptions, by name. Loaded once. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api } from "./api.ts";

const known = signal<ReadonlyMap<string, wire.ToolView>>(new Map());
let isAsked = false;

/** The tools; empty until they are loaded. The first access loads them. */
export const tools = {
  get value(): ReadonlyMap<string, wire.ToolView> {
    if (!isAsked) {
      isAsked = true;
      void read();
    }
    return known.value;
  },
};

async function read(): Promise<void> {
  try {
    const { data } = await api<wire.ToolPage>("GET", "/api/v1/tools");
    known.value = new Map(data.map((tool) => [tool.name, tool]));
  } catch {
    isAsked = false;
  }
}
