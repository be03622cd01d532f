/** A component that is drawn again only when what it is given changes, or a signal that it reads. */
import { Component, type ComponentChild, type ComponentType, createElement } from "preact";

/** Makes such a component of another one. */
export function memo<P extends object>(Inner: ComponentType<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const names = new Set([...Object.keys(next), ...Object.keys(this.props)]);
      return [...names].some((name) => Reflect.get(next, name) !== Reflect.get(this.props, name));
    }

    override render(props: P): ComponentChild {
      return createElement(Inner, props);
    }
  };
}
