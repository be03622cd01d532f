/** Sorting and copying tables that are text. Pure. */
import { type Order, sortRows } from "./table-order.ts";

/**
 * The number in a cell, such as `1,234.5`, `12 %` or `€ 5`; undefined if it is none. Of a comma alone
 * it is unknown what it means, unless three digits follow each.
 */
export function numberIn(text: string): number | undefined {
  const bare = text
    .replace(/−/g, "-")
    .replace(/^\s*(?:[$€£¥]|[A-Z]{3}\s)\s*/, "")
    .replace(/\s*(?:[%€$£¥]|\p{L}{1,5}|°\p{L}?)?\s*$/u, "");
  if (/^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(bare)) return Number(bare.replaceAll(",", ""));
  if (/^[+-]?\d+(?:[.,]\d+)?$/.test(bare)) return Number(bare.replace(",", "."));
  return undefined;
}

/** The indexes of the rows in an order. A column of numbers is sorted by them; empty cells are last. */
export function orderOf(rows: readonly (readonly string[])[], order: Order | undefined): number[] {
  const indexes = rows.map((_, index) => index);
  if (!order) return indexes;
  const cells = rows.map((row) => row[order.column]?.trim() ?? "");
  const areNumbers = cells.every((cell) => cell === "" || numberIn(cell) !== undefined);
  const values = cells.map((cell, index) => {
    const value = cell === "" ? null : areNumbers ? numberIn(cell) : cell;
    return [value, index] as const;
  });
  return sortRows(values, { column: 0, isDown: order.isDown }).map(([, index]) => index as number);
}

/** Rows as text for spreadsheets: tabs between cells, and none within. */
export function asTsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, " ").trim()).join("\t")).join("\n");
}
