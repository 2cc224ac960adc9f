import { iso } from '../../../kernel/clock.js';
import { asSentence } from '../../../kernel/message.js';
import type { Alert, AlertList } from '../../../projections/activity/activity.queries.js';
import type { ProjectionFailure, StoppedProjection } from '../../../projections/engine/projection-status.queries.js';
import { OVERVIEW_MESSAGES as TEXTS } from '../messages.js';
import { describeDuplicates } from '../posts/publication.view.js';
import type { AttentionItemView, AttentionSubject, OverviewActionView } from './overview.view.js';
import { MOST_IDS, type OverviewFacts } from './overview-facts.js';

/** The subject of an attention item, with every fact set to null. */
export const NO_SUBJECT: AttentionSubject = {
  id: null,
  name: null,
  owner_id: null,
  owner_name: null,
  platform: null,
  channel_id: null,
  channel_name: null,
  publication_id: null,
  post_id: null,
  excerpt: null,
  code: null,
  message: null,
  platform_says: null,
  disabled_by: null,
  waiting: null,
  plan: null,
  resets_at: null,
  position: null,
  event_type: null,
};

/** Returns an action that opens the resource at a path. */
export const viewing = (label_code: OverviewActionView['label_code'], path: string): OverviewActionView => ({
  label_code,
  method: 'GET',
  path,
});

/** Returns the action that shows a list. @param owner limits the list to this owner; null for all owners */
export const viewingList = (path: string, owner: OverviewFacts['owner']): OverviewActionView => {
  const separator = path.includes('?') ? '&' : '?';
  return viewing('view_all', owner === null ? path : `${path}${separator}owner_id=${owner.owner_id}`);
};

/** Builds the attention item for channels whose posts the network refuses; null if there are none. */
export const buildRefused = (
  { alerts: { channel: list }, waitingOnChannel, owner }: OverviewFacts,
  titleOf: (platform: string | null) => string,
): AttentionItemView | null => {
  const { count, alerts } = list;
  const [first] = alerts;
  if (!first) return null;
  const { id, name, platform, attention } = first;
  const reason = asSentence(attention?.message ?? first.reason ?? '');
  const values = { channel: name ?? id, platform: titleOf(platform), reason };
  return {
    code: 'channel_needs_attention',
    ...describeAlerts(list),
    text: count === 1 ? TEXTS.channelNeedsAttention(values) : TEXTS.manyChannels({ count }),
    action:
      count === 1
        ? { label_code: 'retry', method: 'POST', path: `/channels/${id}/retry` }
        : viewingList('/channels?status=needs_attention', owner),
    subject: {
      ...describeAlert(first),
      channel_id: id,
      channel_name: name,
      code: attention?.code ?? null,
      message: attention?.message ?? first.reason,
      platform_says: attention?.platform_says ?? null,
      waiting: waitingOnChannel,
    },
  };
};

/** Builds the attention item for endpoints or webhook outputs that were disabled; null if there are none. */
export const buildDisabled = (
  code: 'endpoint_disabled' | 'webhook_output_disabled',
  { alerts: { endpoint, webhook_output }, owner }: OverviewFacts,
): AttentionItemView | null => {
  const list = code === 'endpoint_disabled' ? endpoint : webhook_output;
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
    action: count === 1 ? enabling(first, path) : viewingList(path, owner),
    subject: describeAlert(first),
  };
};

/** Returns the action that enables a resource, or, if the plan disabled it, the action that shows the plan. */
const enabling = ({ id, owner_id, disabled_by }: Alert, path: string): OverviewActionView =>
  disabled_by === 'plan'
    ? viewing('view_plan', `/owners/${owner_id}`)
    : { label_code: 'enable', method: 'POST', path: `${path}/${id}/enable` };

const describeAlerts = ({ count, alerts }: AlertList): Pick<AttentionItemView, 'since' | 'count' | 'ids'> => ({
  since: iso(alerts[0]!.since),
  count,
  ids: alerts.map(({ id }) => id),
});

const describeAlert = (alert: Alert): AttentionSubject => {
  const { id, name, owner_id, owner_name, platform, disabled_by, reason } = alert;
  return { ...NO_SUBJECT, id, name, owner_id, owner_name, platform, disabled_by, message: reason };
};

/** Returns a network's human-readable name. */
type TitleOf = (platform: string | null) => string;

/** Builds the list of problems that need someone's attention: one item per code, worst first. */
export const buildAttention = (facts: OverviewFacts, titleOf: TitleOf): AttentionItemView[] =>
  [
    buildUnchanged('withdraw_failed', facts, titleOf),
    buildRestored(facts),
    buildSettled('in_doubt', facts, titleOf),
    buildDuplicates(facts, titleOf),
    buildRefused(facts, titleOf),
    buildDisabled('endpoint_disabled', facts),
    buildUsedUp(facts),
    buildSettled('failed', facts, titleOf),
    buildUnchanged('edit_failed', facts, titleOf),
    buildDisabled('webhook_output_disabled', facts),
    buildApprovals(facts),
  ].filter((attention) => attention !== null);

/** Builds the attention item for what a restore holds; null if nothing is held. One call settles all of it. */
const buildRestored = ({ held: { facts, planned, inDoubt }, owner }: OverviewFacts): AttentionItemView | null => {
  const count = planned + inDoubt;
  if (facts === null || count === 0) return null;
  const { at, from, until } = facts;
  const values = { from: iso(from ?? until), until: iso(until), planned, in_doubt: inDoubt };
  return {
    code: 'restored',
    since: iso(at),
    count,
    ids: [],
    text: TEXTS.restored(values),
    action: { label_code: 'confirm', method: 'POST', path: '/recovery/confirm' },
    subject: { ...NO_SUBJECT, owner_id: owner?.owner_id ?? null },
  };
};

/** Builds the attention item for publications that are in doubt or failed; null if there are none. */
const buildSettled = (
  state: 'in_doubt' | 'failed',
  facts: OverviewFacts,
  titleOf: TitleOf,
): AttentionItemView | null => {
  const { activity, owner } = facts;
  const found = state === 'in_doubt' ? activity.inDoubt : activity.failed;
  const [first] = found;
  if (!first) return null;
  const all = activity.standings.reduce((sum, standing) => sum + standing[state], 0);
  const restored = state === 'in_doubt' ? facts.held.inDoubt : 0; // they have an item of their own
  const count = Math.max(found.length, all - restored);
  const subject = describePublication(first.id, facts);
  const values = { ...nameOf(subject, titleOf), reason: asSentence(subject.message ?? '') };
  const [code, one, many, label] =
    state === 'in_doubt'
      ? (['in_doubt', TEXTS.inDoubt, TEXTS.manyInDoubt, 'resolve'] as const)
      : (['publication_failed', TEXTS.publicationFailed, TEXTS.manyFailed, 'view_reason'] as const);
  return {
    code,
    since: iso(first.since),
    count,
    ids: found.map(({ id }) => id),
    subject,
    text: count === 1 ? one(values) : many({ count }),
    action: count === 1 ? viewing(label, `/publications/${first.id}`) : viewingList(`/posts?state=${state}`, owner),
  };
};

/** Builds the attention item for publications that readers see twice (D-84); null if there are none. */
const buildDuplicates = (facts: OverviewFacts, titleOf: TitleOf): AttentionItemView | null => {
  const { count, publications } = facts.duplicates;
  const [first] = publications;
  if (!first) return null;
  const subject = describePublication(first.id, facts);
  const row = facts.details.get(first.id)?.row;
  const values = { ...nameOf(subject, titleOf), messages: row ? describeDuplicates(row) : '' };
  return {
    code: 'published_twice',
    since: iso(first.since),
    count,
    ids: publications.map(({ id }) => id),
    subject: { ...subject, code: null, message: null, platform_says: null },
    text: count === 1 ? TEXTS.publishedTwice(values) : TEXTS.manyTwice({ count }),
    action: viewing('resolve', `/publications/${first.id}`),
  };
};

/** Builds the item for publications that are not taken back (D-69) or not edited (D-72); null if there are none. */
const buildUnchanged = (
  code: 'withdraw_failed' | 'edit_failed',
  facts: OverviewFacts,
  titleOf: TitleOf,
): AttentionItemView | null => {
  const isEdit = code === 'edit_failed';
  const { count, publications } = isEdit ? facts.failedEdits : facts.withdrawals;
  const [first] = publications;
  if (!first) return null;
  const row = facts.details.get(first.id)?.row;
  const {
    code: reason = null,
    message = null,
    platform_says = null,
  } = (isEdit ? row?.edit : row?.withdrawal)?.error ?? {};
  const subject = { ...describePublication(first.id, facts), code: reason, message, platform_says };
  const values = { ...nameOf(subject, titleOf), reason: asSentence(message ?? '') };
  const [one, many] = isEdit ? [TEXTS.editFailed, TEXTS.manyEdits] : [TEXTS.withdrawFailed, TEXTS.manyWithdrawals];
  return {
    code,
    since: iso(first.since),
    count,
    ids: publications.map(({ id }) => id),
    subject,
    text: count === 1 ? one(values) : many({ count }),
    action:
      count > 1 && !isEdit
        ? viewingList('/posts?state=withdraw_failed', facts.owner)
        : viewing('resolve', `/publications/${first.id}`),
  };
};

const nameOf = ({ excerpt, platform, channel_name }: AttentionSubject, titleOf: TitleOf) => ({
  excerpt: excerpt ?? TEXTS.noText,
  platform: titleOf(platform),
  channel: channel_name ?? TEXTS.deletedChannel,
});

const describePublication = (id: string, { details, excerpts }: OverviewFacts): AttentionSubject => {
  const found = details.get(id);
  if (!found) return { ...NO_SUBJECT, id, publication_id: id };
  const { row, channel_name, owner_name } = found;
  const error = row.attempts.findLast((attempt) => attempt.error !== null)?.error;
  return {
    ...NO_SUBJECT,
    id,
    publication_id: id,
    post_id: row.post_id,
    owner_id: row.owner_id,
    owner_name,
    platform: row.platform,
    channel_id: row.channel_id,
    channel_name,
    name: channel_name,
    excerpt: excerpts.get(row.post_id) ?? null,
    code: error?.code ?? null,
    message: error?.message ?? null,
    platform_says: error?.platform_says ?? null,
  };
};

/** Builds the attention item for owners who have used up this month's quota; null if there are none. */
export const buildUsedUp = ({ usedUp }: OverviewFacts): AttentionItemView | null => {
  const [first] = usedUp;
  if (!first) return null;
  const count = usedUp.length;
  const { owner_id, name, plan, postsLeft, since } = first;
  const resets_at = iso(postsLeft.resetsAt);
  return {
    code: 'quota_exhausted',
    since: iso(since),
    count,
    ids: usedUp.slice(0, MOST_IDS).map((owner) => owner.owner_id),
    text: count === 1 ? TEXTS.quotaExhausted({ owner: name, until: resets_at }) : TEXTS.manyQuotas({ count }),
    action: count === 1 ? viewing('view_plan', `/owners/${owner_id}`) : viewing('view_all', '/owners'),
    subject: { ...NO_SUBJECT, id: owner_id, name, owner_id, owner_name: name, plan, resets_at },
  };
};

/** Builds the attention item for posts that wait for approval; null if there are none. */
const buildApprovals = ({ approvals: { count, posts }, excerpts, owner }: OverviewFacts): AttentionItemView | null => {
  const [first] = posts;
  if (!first) return null;
  const { post_id, owner_id, owner_name, endpoint_id, endpoint_name } = first;
  const excerpt = excerpts.get(post_id) ?? null;
  const values = { endpoint: endpoint_name ?? endpoint_id, excerpt: excerpt ?? TEXTS.noText };
  return {
    code: 'approval_needed',
    since: iso(first.since),
    count,
    ids: posts.map((post) => post.post_id),
    text: count === 1 ? TEXTS.approvalNeeded(values) : TEXTS.manyApprovals({ count }),
    action: count === 1 ? viewing('review', `/posts/${post_id}`) : viewingList('/posts?approval=pending', owner),
    subject: { ...NO_SUBJECT, id: post_id, post_id, name: endpoint_name, owner_id, owner_name, excerpt },
  };
};

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
