import type { Migration } from '../migrations.js';

/** Events that sagas have read but not yet handled, because an earlier event of the same lane takes long (ADR-253). */
export const parkedEvents: Migration = {
  number: 4,
  name: 'parked-events',
  sql: `
    -- Events below a saga's checkpoint that the saga still has to handle (ADR-253). "saga": name of the checkpoint. Events of one
    -- lane are handled in order, those of different lanes at the same time. "bytes": size of the event, so that a read can be bounded.
    create table ops_parked_event (
      saga text not null,
      position bigint not null,
      lane text not null,
      event_id text not null,
      stream text not null,
      revision bigint not null,
      bytes int not null,
      primary key (saga, position)
    );
    create index ops_parked_event_lane on ops_parked_event (saga, lane, position);
  `,
};
