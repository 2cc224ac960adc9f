import type { DeliveryBodyPartStored, DeliveryEvent } from '../../../src/domain/delivery/delivery.events.js';
import type { WebhookOutputEvent } from '../../../src/domain/webhook-output/webhook-output.events.js';
import type { SamplesOf } from '../samples.js';

const ownerId = 'own_0195931f3c007000a000000000000001';
const projectId = 'prj_0195931f3c007000a000000000000003';
const outputId = 'whk_0195931f3c007000a000000000000008';
const deliveryId = 'dlv_0195931f3c007000a000000000000009';
const at = 1_741_953_600_000;

const output: SamplesOf<WebhookOutputEvent> = {
  WebhookOutputCreated: [
    {
      outputId,
      ownerId,
      projectId,
      url: 'https://example.org/hooks?of=crosspost',
      kinds: ['post.published', 'publication.failed'],
      signingSecretId: 'sec_webhook',
    },
  ],
  WebhookOutputChanged: [{ outputId, url: 'https://example.org/new', kinds: ['post.completed'] }],
  WebhookOutputSecretRotated: [
    { outputId, signingSecretId: 'sec_webhook_2', previousSecretId: 'sec_webhook', previousUntil: at + 3_600_000 },
  ],
  WebhookOutputDisabled: [{ outputId, by: 'gone', reason: 'The server answered 410.' }],
  WebhookOutputEnabled: [{ outputId }],
  WebhookOutputDeleted: [{ outputId }],
};

const delivery: SamplesOf<DeliveryEvent | DeliveryBodyPartStored> = {
  DeliveryScheduled: [
    {
      deliveryId,
      outputId,
      ownerId,
      kind: 'post.published',
      body: '{"kind":"post.published","text":"«Привет» 🌷"}',
      parts: null,
      at,
    },
  ],
  DeliverySucceeded: [{ deliveryId, outputId, attempt: 2, at, status: 204, latencyMs: 12.5, answer: '' }],
  DeliveryAttemptFailed: [
    {
      deliveryId,
      outputId,
      attempt: 1,
      at,
      status: 503,
      latencyMs: 40,
      answer: 'Down for maintenance',
      retryAt: at + 5_040,
      isServerDown: true,
      isProbe: false,
    },
  ],
  DeliveryRetryRequested: [{ deliveryId, outputId, at }],
  DeliveryBodyPartStored: [{ deliveryId, index: 0, chunk: 'eyJraW5kIjoicG9zdC5wdWJsaXNoZWQifQ==' }],
};

/** Sample events of webhook outputs and deliveries. */
export const webhooks = { ...output, ...delivery };
