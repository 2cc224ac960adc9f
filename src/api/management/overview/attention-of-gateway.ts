import { iso } from '../../../kernel/instant.js';
import { asSentence } from '../../../kernel/message.js';
import type { ProjectionFailure, StoppedProjection } from '../../../projections/engine/projection-status.queries.js';
import { OVERVIEW_MESSAGES as TEXTS } from '../messages.js';
import { NO_SUBJECT, viewing } from './attention-parts.js';
import type { AttentionItemView } from './overview.view.js';
import { MOST_IDS } from './overview-facts.js';

/** Builds the attention item for read models that have stopped, longest-stopped first; null if there are none. */
export const buildStopped = (projections: readonly StoppedProjection[]): AttentionItemView | null => {
  const sorted = projections.toSorted((a, b) => a.since - b.since);
  const [first] = sorted;
  if (!first) return null;
  const count = sorted.length;
  const { name, failure } = first;
  return {
    code: 'projection_stopped',
    since: iso(first.since),
    count,
    ids: sorted.slice(0, MOST_IDS).map((each) => each.name),
    text: count === 1 ? describeStop(name, failure) : TEXTS.manyProjections({ count }),
    action: count === 1 ? viewing('view_projection', `/projections/${name}`) : viewing('view_all', '/projections'),
    subject: {
      ...NO_SUBJECT,
      id: name,
      name,
      message: failure.message,
      position: failure.position,
      event_type: failure.type,
    },
  };
};

const describeStop = (name: string, { position, type, message }: ProjectionFailure): string =>
  TEXTS.projectionStopped({ name, position, type, reason: asSentence(message) });

/** Builds the attention item for an event store that cannot be used. */
export const buildStoreUnavailable = (reason: string, now: number): AttentionItemView => ({
  code: 'store_unavailable',
  since: iso(now),
  count: 1,
  ids: [],
  text: TEXTS.storeUnavailable({ reason: asSentence(reason) }),
  action: null,
  subject: { ...NO_SUBJECT, message: reason },
});
