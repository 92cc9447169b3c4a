// Types of what the console uses of uplot.js, for the type checker.
export default class Plot {
  constructor(options: object, data: (number | null)[][], parent: Element);
  setData(data: (number | null)[][]): void;
  setSize(size: { width: number; height: number }): void;
  destroy(): void;
}
