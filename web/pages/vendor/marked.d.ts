// Types of what the pages use of marked.js, for the type checker.
export interface Token {
  type: string;
  raw: string;
  text?: string;
  tokens?: Token[];
  items?: Token[];
  depth?: number;
  href?: string;
  ordered?: boolean;
  start?: number | '';
}
export class Tokenizer {
  lexer: { inlineTokens(text: string): Token[] };
}
export class Lexer {
  constructor(options: object);
  lex(text: string): Token[];
}
export function getDefaults(): object;
