/** Memoized components: they render again only when their props or signals change. */
import { Component, type ComponentChild, type ComponentType, createElement } from "preact";

/** Memoizes a component. */
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
