// The codes in a text, a code per line or a column of a spreadsheet; modules/sheet reads files in the same way.
const isCode = /^[!-~]{1,64}$/;
const quoted = /^"((?:[^"]|"")*)"$/;
const formula = /^="((?:[^"]|"")*)"$/; // which is a text, to keep digits from spreadsheets

// changed is what a spreadsheet makes of a code that it takes for a number or a formula.
const changed = /^([+-]?\d([.,]\d+)?E[+-]\d+|#(N\/A|NV|NAME|\S*[!?]|#+))$/i;

const day = '(0?[1-9]|[12]\\d|3[01])';
const month = '(0?[1-9]|1[0-2])';
const year = '(\\d{2}|[12]\\d{3})';
// As spreadsheets write it: MAR-24 is a code.
const monthName = '([Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)';
// dates are the forms in which a spreadsheet writes a code that it takes for a date.
const dates = [
  `${day}\\.${month}\\.${year}`,
  `${day}/${day}/${year}`,
  `[12]\\d{3}-${month}-${day}`,
  `[12]\\d{3}/${month}/${day}`,
  `${monthName}-${year}`,
  `${day}-${monthName}(-${year})?`,
];
const date = new RegExp(`^(${dates.join('|')})$`);

const column = /(code|voucher|coupon|key|pin|serial|number)s?$/i;
const hasDigit = (code) => /\d/.test(code);

// inside returns what a pattern of quotes encloses, or undefined.
const inside = (quotes, text) => quotes.exec(text)?.[1].replaceAll('""', '"').trim();

// cellOf returns the code of a line, without its quotes; '' if it has several cells.
function cellOf(line) {
  const cell = inside(quoted, line);
  const text = inside(formula, cell ?? line);
  if (text !== undefined) return text;
  if (cell === undefined && /^=?"|[,;\t]/.test(line)) return '';
  return (cell ?? line).replace(/^'/, '').trim();
}

// isHeader reports whether the first code looks like the name of a column.
function isHeader(codes) {
  if (codes.length === 0 || hasDigit(codes[0])) return false;
  return column.test(codes[0]) || (codes.length > 1 && codes.slice(1).every(hasDigit));
}

// codesIn reads a code from each line: {codes, wrong}. wrong are the numbers of the lines that have none, but are not
// empty. Codes of earlier imports can be withdrawn, whatever they look like.
export function codesIn(text = '', importing = true) {
  const found = { codes: [], wrong: [] };
  let first = 0;
  text.split('\n').forEach((line, i) => {
    if (!line.trim()) return;
    const code = cellOf(line.trim());
    const made = importing && (changed.test(code) || date.test(code));
    if (!isCode.test(code) || made) return found.wrong.push(i + 1);
    first ||= i + 1;
    found.codes.push(code);
  });
  if (importing && isHeader(found.codes)) {
    found.wrong.unshift(first);
    found.codes.shift();
  }
  return found;
}
