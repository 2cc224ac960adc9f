import type { AlertRow } from './activity.tables.js';
import type { ActivityBatch, HandledEvent } from './activity-batch.js';

/** Raises and ends the alerts for resources that were stopped by something other than their owner. */
export const raiseAlerts = (event: HandledEvent, batch: ActivityBatch): void => {
  switch (event.type) {
    case 'ChannelNeedsAttention': {
      const { channelId: resource_id, until: ends_at, attention } = event.data;
      const { message: reason } = attention;
      return raise(batch, event, { kind: 'channel', resource_id, ends_at, disabled_by: null, reason });
    }
    case 'ChannelCredentialsReplaced':
    case 'ChannelAttentionCleared':
    case 'ChannelDeleted':
      return batch.alerts.remove(event.data.channelId);
    case 'EndpointDisabled': {
      const { endpointId, by, reason } = event.data;
      if (by === 'owner') return batch.alerts.remove(endpointId);
      return raise(batch, event, { kind: 'endpoint', resource_id: endpointId, ends_at: null, disabled_by: by, reason });
    }
    case 'EndpointEnabled':
    case 'EndpointDeleted':
      return batch.alerts.remove(event.data.endpointId);
    case 'WebhookOutputDisabled': {
      const { outputId, by, reason } = event.data;
      if (by === 'owner') return batch.alerts.remove(outputId);
      const alert = { kind: 'webhook_output', resource_id: outputId, ends_at: null, disabled_by: by, reason } as const;
      return raise(batch, event, alert);
    }
    case 'WebhookOutputEnabled':
    case 'WebhookOutputDeleted':
      return batch.alerts.remove(event.data.outputId);
    default:
      return;
  }
};

const FEED_KIND = {
  channel: 'channel_needs_attention',
  endpoint: 'endpoint_disabled',
  webhook_output: 'webhook_output_disabled',
} as const;

const raise = (
  { alerts, feed, resources }: ActivityBatch,
  { at }: HandledEvent,
  alert: Omit<AlertRow, 'owner_id' | 'since'>,
): void => {
  const resource = resources.get(alert.resource_id);
  if (!resource) return;
  const { owner_id, platform } = resource;
  alerts.put({ ...alert, owner_id, since: at });
  feed.add(owner_id, { at, kind: FEED_KIND[alert.kind], subject_id: alert.resource_id, post_id: null, platform });
};
