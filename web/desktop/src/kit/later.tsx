/** A view whose code comes when it is first looked at. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Spinner, Trouble } from "./pieces.tsx";

/** Makes a component of one that is loaded when it is first shown. */
export function later(load: () => Promise<ComponentType>): ComponentType {
  let Loaded: ComponentType | undefined;
  return function Later() {
    const [, setReady] = useState(Loaded !== undefined);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (Loaded) return;
      load().then(
        (component) => {
          Loaded = component;
          setReady(true);
        },
        (reason: unknown) => setError(reason),
      );
    }, []);
    if (Loaded) return <Loaded />;
    return <div class="empty">{error === undefined ? <Spinner /> : <Trouble error={error} />}</div>;
  };
}
