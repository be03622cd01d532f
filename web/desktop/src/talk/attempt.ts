/** What is tried by pressing something: what goes wrong is said above the box. */
import { signal } from "@preact/signals";

/** What went wrong last. */
export const mishap = signal<unknown>(undefined);

/** Tries something; says whether it went well. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  mishap.value = undefined;
  try {
    await work();
    return true;
  } catch (error) {
    mishap.value = error;
    return false;
  }
}
