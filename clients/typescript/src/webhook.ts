import { fromBase64, isSigned, toBytes } from './hmac.js';

/** A received delivery, and the secret to verify it with. */
export interface WebhookRequest {
  /** The webhook output's `secret`, or its `secret_whsec`. */
  readonly secret: string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body, exactly as it arrived: parsing and reserializing it would invalidate the signature. */
  readonly body: string | Uint8Array;
}

/** Maximum difference between the clocks, in seconds. */
const TOLERANCE = 300;
const PREFIX = 'whsec_';
const VERSION = 'v1,';

/**
 * Verifies that a delivery was sent by the gateway, unaltered, within the last five minutes. Returns the parsed body.
 * Checks the Standard Webhooks headers, because their signature covers the id and the time. A signature of only the
 * body (`X-<Brand>-Signature`) would allow an old delivery to be replayed forever. The same delivery may arrive twice,
 * with the same `webhook-id`.
 * @throws Error if verification fails
 */
export const verifyWebhook = async ({ secret, headers, body }: WebhookRequest): Promise<unknown> => {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signature = readHeader(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE)
    throw new Error('webhook-timestamp is missing, malformed or more than five minutes off');
  const signatures = signature
    .split(' ')
    .flatMap((each) => (each.startsWith(VERSION) ? (fromBase64(each.slice(VERSION.length)) ?? []) : []));
  const raw = typeof body === 'string' ? toBytes(body) : body;
  const message = concatenate(toBytes(`${id}.${timestamp}.`), raw);
  if (id === '' || !(await isSigned(readKey(secret), message, signatures)))
    throw new Error('webhook-id is missing, or webhook-signature is missing or wrong');
  return JSON.parse(new TextDecoder().decode(raw)) as unknown;
};

const readKey = (secret: string): Uint8Array<ArrayBuffer> => {
  const key = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : toBytes(secret);
  if (key === null || key.length === 0) throw new Error('the webhook secret is empty or malformed');
  return key;
};

const concatenate = (head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
};

const readHeader = (headers: WebhookRequest['headers'], name: string): string => {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? '';
  const [, value = ''] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : (value as readonly string[]).join(' ');
};
