/** Runs a request of a button: shows that it is under way, and its error. */
import { useState } from "preact/hooks";

/** The state of the requests of one component; `run` ignores clicks while one is under way. */
export function useAttempt(): {
  isBusy: boolean;
  problem: unknown;
  run: (work: () => Promise<unknown>) => Promise<boolean>;
} {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const run = async (work: () => Promise<unknown>) => {
    if (isBusy) return false;
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      return true;
    } catch (error) {
      setProblem(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run };
}
