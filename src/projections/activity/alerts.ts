import type { AlertKind } from './activity.tables.js';
import type { ActivityBatch, HandledEvent } from './activity-batch.js';

/** Raises and ends the alerts for resources that were stopped by something other than their owner. */
export const raiseAlerts = (event: HandledEvent, batch: ActivityBatch): void => {
  switch (event.type) {
    case 'ChannelNeedsAttention': {
      const { channelId, attention, until } = event.data;
      return raise(batch, event, {
        kind: 'channel',
        id: channelId,
        endsAt: until,
        disabledBy: null,
        reason: attention.message,
      });
    }
    case 'ChannelCredentialsReplaced':
    case 'ChannelAttentionCleared':
    case 'ChannelDeleted':
      return batch.alerts.remove(event.data.channelId);
    case 'EndpointDisabled': {
      const { endpointId, by, reason } = event.data;
      if (by === 'owner') return batch.alerts.remove(endpointId);
      return raise(batch, event, { kind: 'endpoint', id: endpointId, endsAt: null, disabledBy: by, reason });
    }
    case 'EndpointEnabled':
    case 'EndpointDeleted':
      return batch.alerts.remove(event.data.endpointId);
    case 'WebhookOutputDisabled': {
      const { outputId, by, reason } = event.data;
      if (by === 'owner') return batch.alerts.remove(outputId);
      return raise(batch, event, { kind: 'webhook_output', id: outputId, endsAt: null, disabledBy: by, reason });
    }
    case 'WebhookOutputEnabled':
    case 'WebhookOutputDeleted':
      return batch.alerts.remove(event.data.outputId);
    default:
      return;
  }
};

interface Alert {
  readonly kind: AlertKind;
  readonly id: string;
  readonly endsAt: number | null;
  readonly disabledBy: string | null;
  readonly reason: string;
}

const FEED_KIND = {
  channel: 'channel_needs_attention',
  endpoint: 'endpoint_disabled',
  webhook_output: 'webhook_output_disabled',
} as const;

const raise = (
  { alerts, feed, resources }: ActivityBatch,
  { at }: HandledEvent,
  { kind, id, endsAt, disabledBy, reason }: Alert,
): void => {
  const resource = resources.get(id);
  if (!resource) return;
  const { owner_id, platform } = resource;
  const since = { since: at, ends_at: endsAt };
  alerts.put({ resource_id: id, kind, owner_id, ...since, disabled_by: disabledBy, reason });
  feed.add(owner_id, { at, kind: FEED_KIND[kind], subjectId: id, postId: null, platform });
};
