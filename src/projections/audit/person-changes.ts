import { ownerOfActor, type RecordedEvent } from '../../kernel/events.js';
import type { Tx } from '../engine/projection.js';
import { thingOf } from './audit.tables.js';
import { DELETED_LATER } from './audited-types.js';

/** True for the operator and owners. */
const isPerson = (actor: string): boolean => actor === 'operator' || ownerOfActor(actor) !== null;

/** Inserts the events whose author is a person, except payload parts, because their post's event is enough. */
export const insertPersonChanges = async (
  tx: Tx,
  events: readonly RecordedEvent[],
  owners: readonly (number | null)[],
): Promise<void> => {
  const rows = events.flatMap((event, i) => {
    const { position, at, actor, type, id: event_id } = event;
    if (!isPerson(actor) || DELETED_LATER.has(type)) return [];
    const { aggregate, id: aggregate_id } = thingOf(event);
    return [{ position: String(position), owner_no: owners[i], at, actor, type, event_id, aggregate, aggregate_id }];
  });
  if (rows.length === 0) return;
  await tx.query({
    name: 'insert changes of persons',
    text: 'insert into person_change select * from json_populate_recordset(null::person_change, $1::json)',
    values: [JSON.stringify(rows)],
  });
};
