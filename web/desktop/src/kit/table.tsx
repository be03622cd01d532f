/** A table that is sorted by its column headers. */
import { useMemo, useState } from "preact/hooks";
import { announce } from "./announce.ts";
import { Icon } from "./icon.tsx";
import { cellText, isNumeric, nextOrder, type Order, sortRows } from "./table-order.ts";
import { texts } from "../languages/kit.ts";
import "./table.css";

type Props = { columns: readonly string[]; rows: readonly (readonly unknown[])[]; title: string };

/** A sortable table. */
export function Table({ columns, rows, title }: Props) {
  const [order, setOrder] = useState<Order | undefined>();
  const shown = useMemo(() => sortRows(rows, order), [rows, order]);
  const numeric = useMemo(() => columns.map((_, column) => isNumeric(rows, column)), [columns, rows]);
  const press = (column: number) => {
    const next = nextOrder(order, column);
    setOrder(next);
    const how =
      next === undefined
        ? texts().inOriginalOrder
        : texts().byColumnsPart(columns[column] ?? "", next.isDown ? texts().descending : texts().ascending);
    announce(texts().sortedHow(how));
  };
  return (
    <div class="table">
      <table aria-label={title}>
        <thead>
          <tr>
            {columns.map((head, column) => (
              <Head
                key={column}
                name={head}
                isNumeric={numeric[column] ?? false}
                order={order?.column === column ? order : undefined}
                onPress={() => press(column)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={index}>
              {columns.map((_, column) => (
                <td key={column} class={numeric[column] ? "numbers" : undefined}>
                  {cellText(row[column])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p>{texts().noRowsYet}</p>}
    </div>
  );
}

function Head(props: { name: string; isNumeric: boolean; order: Order | undefined; onPress: () => void }) {
  const { name, isNumeric, order, onPress } = props;
  const sort = order === undefined ? "none" : order.isDown ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={sort} class={isNumeric ? "numbers" : undefined}>
      <button type="button" onClick={onPress}>
        {name}
        <span class={order ? "table-sort" : "table-sort off"}>
          <Icon name={order?.isDown ? "down" : "up"} small />
        </span>
      </button>
    </th>
  );
}
