// Types of what the pages use of preact-htm.js, for the type checker. What is drawn, and a state, may be anything.
export function html(strings: TemplateStringsArray, ...values: unknown[]): any;
export function render(view: unknown, parent: Element): void;
export function useState(initial?: any): [any, (next?: any) => void];
export function useEffect(effect: () => void | (() => void), inputs?: unknown[]): void;
export function useMemo<T = any>(make: () => T, inputs: unknown[]): T;
export function useRef<T = any>(initial?: T): { current: T };

export class Component {
  props: any;
}
