import { Moment } from '../../components/time.js';
import { useActorName } from '../../history/actors.js';
import type { Ticks } from './data.js';
import { timeMessages as m } from './messages.js';
import type { SpanRow } from './span-rows.js';

/** A table of the chart's pauses, holds and changes by people, for screen readers. */
export const ChartTable = ({ ticks, rows }: { readonly ticks: Ticks; readonly rows: readonly SpanRow[] }) => {
  const actorName = useActorName();
  return (
    <div className="visually-hidden">
      <table>
        <caption>{m.table}</caption>
        <tbody>
          {rows.flatMap((row) =>
            row.spans.map(({ event_id: id, kind, from, to }) => (
              <tr key={id}>
                <td>
                  <bdi>{row.name}</bdi>
                </td>
                <td>{m.spanKinds[kind as keyof typeof m.spanKinds]}</td>
                <td>
                  <Moment at={from} />
                </td>
                <td>{to === null ? m.stillOpen : <Moment at={to} />}</td>
              </tr>
            )),
          )}
          {ticks.changes.map(({ event_id: id, at, actor, type }) => (
            <tr key={id}>
              <td>
                <bdi>{actorName(actor)}</bdi>
              </td>
              <td>{type}</td>
              <td>
                <Moment at={at} />
              </td>
              <td />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
