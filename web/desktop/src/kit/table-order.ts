/** Tables: how cells are written and in which order rows stand. Pure. */

const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** How a table is sorted. */
export type Order = { column: number; isDown: boolean };

/** A cell in words. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "–";
  if (typeof cell === "number") return numbers.format(cell);
  if (typeof cell === "boolean") return cell ? "Yes" : "No";
  return typeof cell === "string" ? cell : JSON.stringify(cell);
}

/** Whether all that stands in a column is numbers. */
export function isNumeric(rows: readonly (readonly unknown[])[], column: number): boolean {
  const cells = rows.map((row) => row[column]).filter((cell) => cell !== null && cell !== undefined);
  return cells.length > 0 && cells.every((cell) => typeof cell === "number");
}

/** The rows in order; what is empty stands at the end either way. */
export function sorted(rows: readonly (readonly unknown[])[], order: Order | undefined): (readonly unknown[])[] {
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
  return words.compare(cellText(a), cellText(b));
}

/** The next order when a head is pressed: up, down, as it came. */
export function nextOrder(order: Order | undefined, column: number): Order | undefined {
  if (order?.column !== column) return { column, isDown: false };
  return order.isDown ? undefined : { column, isDown: true };
}
