/** Runs user actions; an error is shown above the message box. */
import { signal } from "@preact/signals";

/** The last error. */
export const lastError = signal<unknown>(undefined);

/** Runs an action; returns whether it succeeded. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  lastError.value = undefined;
  try {
    await work();
    return true;
  } catch (error) {
    lastError.value = error;
    return false;
  }
}
