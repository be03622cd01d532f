/** Lazily loaded components. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Spinner, ErrorNotice } from "./pieces.tsx";

/**
 * A component whose code is loaded when it is first shown. A quiet one shows nothing until then.
 */
export function lazy(load: () => Promise<ComponentType>, isQuiet = false): ComponentType {
  let Component: ComponentType | undefined;
  return function Lazy() {
    const [, setReady] = useState(Component !== undefined);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (Component) return;
      load().then(
        (component) => {
          Component = component;
          setReady(true);
        },
        (reason: unknown) => setError(reason),
      );
    }, []);
    if (Component) return <Component />;
    if (isQuiet) return null;
    return <div class="empty">{error === undefined ? <Spinner /> : <ErrorNotice error={error} />}</div>;
  };
}
