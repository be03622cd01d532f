/** Cell formatting and sorting of tables. Pure. */
import { inLocale } from "./format.ts";
import { texts } from "../languages/kit.ts";

const numbers = inLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }));
const words = inLocale((locale) => new Intl.Collator(locale, { numeric: true, sensitivity: "base" }));

/** The sort order of a table. */
export type Order = { column: number; isDown: boolean };

/** The text of a cell. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "–";
  if (typeof cell === "number") return numbers().format(cell);
  if (typeof cell === "boolean") return cell ? texts().yes : texts().no;
  return typeof cell === "string" ? cell : JSON.stringify(cell);
}

/** Whether a column has only numbers. */
export function isNumeric(rows: readonly (readonly unknown[])[], column: number): boolean {
  const cells = rows.map((row) => row[column]).filter((cell) => cell !== null && cell !== undefined);
  return cells.length > 0 && cells.every((cell) => typeof cell === "number");
}

/** The rows in order; empty cells come last either way. */
export function sortRows(rows: readonly (readonly unknown[])[], order: Order | undefined): (readonly unknown[])[] {
  if (order === undefined) return [...rows];
  const { column, isDown } = order;
  return [...rows].sort((one, other) => {
    const [a, b] = [one[column], other[column]];
    const [isNoA, isNoB] = [a === null || a === undefined, b === null || b === undefined];
    if (isNoA || isNoB) return Number(isNoA) - Number(isNoB);
    return (isDown ? -1 : 1) * compare(a, b);
  });
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  return words().compare(cellText(a), cellText(b));
}

/** The order after a click on a column header: ascending, descending, unsorted. */
export function nextOrder(order: Order | undefined, column: number): Order | undefined {
  if (order?.column !== column) return { column, isDown: false };
  return order.isDown ? undefined : { column, isDown: true };
}
