import { createHmac } from 'node:crypto';

/** The parts of a delivery that are signed. */
export interface SignedDelivery {
  /** UUID of the delivery, the same for all attempts. */
  readonly id: string;
  readonly kind: string;
  /** JSON text. */
  readonly body: string;
  /** Unix seconds of the attempt. */
  readonly timestamp: number;
  /** Prefix of the headers, in lower case (D-34). */
  readonly brand: string;
  /** The valid signing secrets, current first; at least one. Their UTF-8 bytes are the keys. */
  readonly secrets: readonly string[];
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text);

/**
 * Returns the headers of an attempt (publish-api.md: Events; security.md: Outbound webhooks): the specification's own
 * headers, signed with the current secret, and the Standard Webhooks headers, with one signature per valid secret.
 */
export const signDelivery = (delivery: SignedDelivery): Record<string, string> => {
  const { id, kind, body, timestamp, brand, secrets } = delivery;
  const content = `${id}.${timestamp}.${body}`;
  return {
    'content-type': 'application/json',
    'idempotency-key': id,
    [`x-${brand}-signature`]: `sha256=${hmac(secrets[0]!, body).digest('hex')}`,
    [`x-${brand}-delivery-id`]: id,
    [`x-${brand}-timestamp`]: String(timestamp),
    [`x-${brand}-event`]: kind,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${hmac(secret, content).digest('base64')}`).join(' '),
  };
};

/** Returns the UUID in a delivery's id: `dlv_` and 32 hex digits. */
export const uuidOfDelivery = (deliveryId: string): string => {
  const hex = deliveryId.slice('dlv_'.length);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
