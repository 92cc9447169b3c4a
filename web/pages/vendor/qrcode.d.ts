// Types of what the shop uses of qrcode.js, for the type checker.
export default function qrcode(
  version: number,
  correction: 'L' | 'M' | 'Q' | 'H',
): {
  addData(text: string): void;
  make(): void;
  getModuleCount(): number;
  isDark(row: number, column: number): boolean;
};
