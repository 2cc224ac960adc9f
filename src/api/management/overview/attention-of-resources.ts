import { iso } from '../../../kernel/instant.js';
import { asSentence } from '../../../kernel/message.js';
import type { Alert, AlertList } from '../../../projections/activity/alerts.queries.js';
import { OVERVIEW_MESSAGES as TEXTS } from '../messages.js';
import { NO_SUBJECT, viewing, viewingList } from './attention-parts.js';
import type { AttentionItemView, AttentionSubject, OverviewActionView } from './overview.view.js';
import type { OverviewFacts } from './overview-facts.js';

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
