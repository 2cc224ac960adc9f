import { iso } from '../../../kernel/instant.js';
import { asSentence } from '../../../kernel/message.js';
import type { Alert, AlertList } from '../../../projections/activity/alerts.queries.js';
import type { UsedUpOwner } from '../../../projections/posts/used-up.queries.js';
import type { ProjectionFailure, StoppedProjection } from '../../../projections/engine/projection-status.queries.js';
import { OVERVIEW_MESSAGES as TEXTS } from '../messages.js';
import type { OverviewActionView, AttentionSubject, AttentionItemView } from './overview.view.js';

/** Most ids of an attention. */
export const MOST_IDS = 20;

/** The subject of an attention without facts. */
export const NO_SUBJECT: AttentionSubject = {
  ...{ id: null, name: null, owner_id: null, owner_name: null, platform: null, channel_id: null, channel_name: null },
  ...{ publication_id: null, post_id: null, excerpt: null, code: null, message: null, platform_says: null },
  ...{ disabled_by: null, waiting: null, plan: null, resets_at: null, position: null, event_type: null },
};

/** Returns the action that shows something. */
export const viewing = (label_code: OverviewActionView['label_code'], path: string): OverviewActionView => ({
  label_code,
  method: 'GET',
  path,
});

/** Returns the action that shows a list. @param ownerId only this owner's; null: all owners' */
export const viewingList = (path: string, ownerId: string | null): OverviewActionView => {
  const separator = path.includes('?') ? '&' : '?';
  return viewing('view_all', ownerId === null ? path : `${path}${separator}owner_id=${ownerId}`);
};

/** Describes alerts of one kind. */
export const describeAlerts = ({ count, alerts }: AlertList): Pick<AttentionItemView, 'since' | 'count' | 'ids'> => ({
  since: iso(alerts[0]!.since),
  count,
  ids: alerts.map(({ id }) => id),
});

/** Describes the subject of an alert. */
export const describeAlert = (alert: Alert): AttentionSubject => {
  const { id, name, owner_id, owner_name, platform, disabled_by, reason } = alert;
  return { ...NO_SUBJECT, id, name, owner_id, owner_name, platform, disabled_by, message: reason };
};

/** Builds the attention for endpoints or webhook outputs that were disabled; null: there are none. */
export const buildDisabled = (
  code: 'endpoint_disabled' | 'webhook_output_disabled',
  list: AlertList,
  ownerId: string | null,
): AttentionItemView | null => {
  const { count, alerts } = list;
  const [first] = alerts;
  if (!first) return null;
  const [path, one, many] =
    code === 'endpoint_disabled'
      ? (['/endpoints', TEXTS.endpointDisabled, TEXTS.manyEndpoints] as const)
      : (['/webhook-outputs', TEXTS.outputDisabled, TEXTS.manyOutputs] as const);
  const reason = asSentence(first.reason ?? '');
  return {
    code,
    ...describeAlerts(list),
    text: count === 1 ? one({ name: first.name ?? first.id, reason }) : many({ count }),
    action: count === 1 ? enabling(first, path) : viewingList(path, ownerId),
    subject: describeAlert(first),
  };
};

/** A plan that does not include it would refuse to enable it. */
const enabling = ({ id, owner_id, disabled_by }: Alert, path: string): OverviewActionView =>
  disabled_by === 'plan'
    ? viewing('view_plan', `/owners/${owner_id}`)
    : { label_code: 'enable', method: 'POST', path: `${path}/${id}/enable` };

/** Builds the attention for owners whose posts are used up, the longest first; null: there are none. @param sinceOf ms since 1970 */
export const buildUsedUp = (
  owners: readonly UsedUpOwner[],
  sinceOf: (ownerId: string) => number,
): AttentionItemView | null => {
  const sorted = owners.toSorted((a, b) => sinceOf(a.owner_id) - sinceOf(b.owner_id));
  const [first] = sorted;
  if (!first) return null;
  const count = sorted.length;
  const { owner_id, name, plan, postsLeft } = first;
  const resets_at = iso(postsLeft.resetsAt);
  return {
    code: 'quota_exhausted',
    since: iso(sinceOf(owner_id)),
    count,
    ids: sorted.slice(0, MOST_IDS).map((owner) => owner.owner_id),
    text: count === 1 ? TEXTS.quotaExhausted({ owner: name, until: resets_at }) : TEXTS.manyQuotas({ count }),
    action: count === 1 ? viewing('view_plan', `/owners/${owner_id}`) : viewing('view_all', '/owners'),
    subject: { ...NO_SUBJECT, id: owner_id, name, owner_id, owner_name: name, plan, resets_at },
  };
};

/** Builds the attention for read models that have stopped, the longest first; null: there are none. */
export const buildStopped = (projections: readonly StoppedProjection[]): AttentionItemView | null => {
  const sorted = projections.toSorted((a, b) => a.since - b.since);
  const [first] = sorted;
  if (!first) return null;
  const count = sorted.length;
  const { name, failure } = first;
  return {
    code: 'projection_stopped',
    ...{ since: iso(first.since), count, ids: sorted.slice(0, MOST_IDS).map((each) => each.name) },
    text: count === 1 ? describeStop(name, failure) : TEXTS.manyProjections({ count }),
    action: count === 1 ? viewing('view_projection', `/projections/${name}`) : viewing('view_all', '/projections'),
    subject: {
      ...{ ...NO_SUBJECT, id: name, name, message: failure.message },
      ...{ position: failure.position, event_type: failure.type },
    },
  };
};

const describeStop = (name: string, { position, type, message }: ProjectionFailure): string =>
  TEXTS.projectionStopped({ name, position, type, reason: asSentence(message) });

/** Builds the attention for an event store that cannot be used. */
export const buildStoreUnavailable = (reason: string, now: number): AttentionItemView => ({
  code: 'store_unavailable',
  ...{ since: iso(now), count: 1, ids: [], text: TEXTS.storeUnavailable({ reason: asSentence(reason) }) },
  action: null,
  subject: { ...NO_SUBJECT, message: reason },
});
