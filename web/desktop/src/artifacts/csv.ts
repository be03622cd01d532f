/** A CSV parser after RFC 4180: quoted cells, line breaks within them, any line ending. Pure. */

/** A table: its header and a limited number of rows. */
export type Table = {
  head: readonly string[];
  rows: readonly (readonly string[])[];
  /** Whether rows were cut off. */
  isCut: boolean;
};

/** Parses a table whose first line is the header. Malformed input is parsed as far as possible. */
export function readCsv(text: string, rowsMax = 1_000): Table {
  const lines: string[][] = [];
  let isCut = false;
  for (const line of linesOf(text)) {
    // Blank lines are skipped.
    if (line.length === 1 && line[0] === "") continue;
    if (lines.length > rowsMax) {
      isCut = true;
      break;
    }
    lines.push(line);
  }
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const [head = [], ...rows] = lines.map((line) => [...line, ...Array<string>(width - line.length).fill("")]);
  return { head, rows, isCut };
}

function* linesOf(text: string): Generator<string[]> {
  let line: string[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at <= text.length) {
    const [cell, end] = text[at] === '"' ? quoted(text, at) : plain(text, at);
    line.push(cell);
    at = end + 1;
    if (text[end] === ",") continue;
    yield line;
    line = [];
    if (text[end] === "\r" && text[at] === "\n") at += 1;
    // A trailing line break starts no row.
    if (at >= text.length) return;
  }
}

/** An unquoted cell and its end: a comma, the end of the line, or the end of the text. */
function plain(text: string, from: number): [cell: string, end: number] {
  let end = from;
  while (end < text.length && text[end] !== "," && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return [text.slice(from, end), end];
}

/** A quoted cell; doubled quotes are one. Text between the closing quote and the comma is kept. */
function quoted(text: string, from: number): [cell: string, end: number] {
  let cell = "";
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return [cell + text.slice(at), text.length];
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      const [rest, end] = plain(text, quote + 1);
      return [cell + rest, end];
    }
    cell += '"';
    at = quote + 2;
  }
}

/** Converts numeric columns to numbers, so that they are aligned and sorted as such. */
export function asNumbers(rows: readonly (readonly string[])[], columns: number): (string | number | null)[][] {
  const numeric = Array.from({ length: columns }, (_, column) => {
    const cells = rows.map((row) => row[column] ?? "").filter((cell) => cell !== "");
    return cells.length > 0 && cells.every(isNumber);
  });
  return rows.map((row) => row.map((cell, column) => (numeric[column] ? (cell === "" ? null : Number(cell)) : cell)));
}

/**
 * Whether a cell is a number that formats back to the same text; `007` and phone numbers are not.
 */
function isNumber(cell: string): boolean {
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(cell);
}
