/** A table in Markdown: sorted by its column headers, and copied for spreadsheets. */
import type { ComponentChild } from "preact";
import { useMemo, useState } from "preact/hooks";
import { announce } from "./announce.ts";
import { CopyButton } from "./code.tsx";
import { Icon } from "./icon.tsx";
import { nextOrder, type Order } from "./table-order.ts";
import { asTsv, orderOf } from "./table-text.ts";
import { texts } from "../languages/kit.ts";

/** A cell: its text, to sort and copy, and what is shown. */
export type TableCell = { text: string; align: "left" | "right" | "center" | null; shown: ComponentChild };

type Props = { header: readonly TableCell[]; rows: readonly (readonly TableCell[])[]; isGrowing: boolean };

/** The table. While it grows it stays in its order. */
export function MarkdownTable({ header, rows, isGrowing }: Props) {
  const [order, setOrder] = useState<Order>();
  const cells = useMemo(() => rows.map((row) => row.map(({ text }) => text)), [rows]);
  const indexes = useMemo(() => orderOf(cells, isGrowing ? undefined : order), [cells, order, isGrowing]);
  const titles = header.map(({ text }) => text);
  const press = (column: number) => {
    const next = nextOrder(order, column);
    setOrder(next);
    const how = next
      ? texts().byTitlesPart(titles[column] ?? "", next.isDown ? texts().descending : texts().ascending)
      : texts().inOriginalOrder;
    announce(texts().sortedHow(how));
  };
  const style = (align: TableCell["align"]) => (align ? { textAlign: align } : {});
  return (
    <div class="prose-sheet">
      <div class="prose-table scroll" tabIndex={0} role="group" aria-label={texts().table}>
        <table>
          <thead>
            <tr>
              {header.map(({ shown, align }, column) => (
                <th key={column} scope="col" style={style(align)} aria-sort={sortOf(order, column)}>
                  {isGrowing ? (
                    shown
                  ) : (
                    <button type="button" title={texts().sort} onClick={() => press(column)}>
                      {shown}
                      <span class={order?.column === column ? "prose-sort" : "prose-sort off"}>
                        <Icon name={order?.column === column && order.isDown ? "down" : "up"} small />
                      </span>
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {indexes.map((index) => (
              <tr key={index}>
                {rows[index]?.map(({ shown, align }, column) => (
                  <td key={column} style={style(align)}>
                    {shown}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!isGrowing && (
        <div class="prose-copy">
          <CopyButton text={asTsv([titles, ...indexes.map((index) => cells[index] ?? [])])} label={texts().copyTable} />
        </div>
      )}
    </div>
  );
}

function sortOf(order: Order | undefined, column: number): "ascending" | "descending" | "none" {
  if (order?.column !== column) return "none";
  return order.isDown ? "descending" : "ascending";
}
