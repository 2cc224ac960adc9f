// More than 20 s: a receiver answers only after 20 s.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { DeliverySender } from '../../../src/sagas/deliver-webhooks/delivery-sender.js';
import type { TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { selfSigned } from '../../media/certificate.js';
import { type ReceiverAnswer, WebhookReceiver } from '../../support/webhook-receiver.js';
import { startWebhookGateway, WebhookSetup } from './webhook-harness.js';

/** The method that one test replaces. */
// eslint-disable-next-line @typescript-eslint/unbound-method
const { send } = DeliverySender.prototype;

let gateway: TestGateway;
let setup: WebhookSetup;
const receivers: WebhookReceiver[] = [];
beforeAll(async () => {
  gateway = await startWebhookGateway();
  setup = await WebhookSetup.create(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** Creates an output whose server always gives this answer. Returns its id. */
const createOutput = async (answer: ReceiverAnswer): Promise<string> => {
  const receiver = await WebhookReceiver.start();
  receivers.push(receiver);
  receiver.answer = () => answer;
  return (await setup.createOutput(receiver)).id;
};

/** Sends a test ping, and returns the first attempt. */
const pingOnce = async (outputId: string) => {
  const id = await setup.ping(outputId);
  const { attempts, state } = await setup.waitForDelivery(id, (delivery) => delivery.attempts.length > 0);
  return { ...attempts[0], state, id };
};

it.each<[what: string, answer: ReceiverAnswer, status: number | null, state: string, says: RegExp]>([
  ['an answer of 10 MB', { status: 200, body: Buffer.alloc(10_485_760, 'x') }, 200, 'delivered', /^x{500}$/],
  [
    'a redirect to a private address',
    { status: 302, headers: { location: 'http://10.0.0.1/' } },
    302,
    'pending',
    /redirect/,
  ],
  ['a refusal', { status: 404, body: 'no such hook' }, 404, 'pending', /^no such hook$/],
  ['a compressed answer', { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'x' }, 200, 'delivered', /^$/],
])('treats %s as it is', async (_, answer, status, state, says) => {
  const attempt = await pingOnce(await createOutput(answer));
  expect(attempt).toMatchObject({ status, state, answer: expect.stringMatching(says) });
});

it('obeys Retry-After, which is not scaled', async () => {
  const output = await createOutput({ status: 429, headers: { 'retry-after': '3600' } });
  const { id, at } = await pingOnce(output);
  const { next_attempt_at, attempts } = await gateway.manage('GET', `/deliveries/${id}`);
  expect(attempts).toHaveLength(1);
  expect(Date.parse(next_attempt_at) - Date.parse(at)).toBeGreaterThanOrEqual(3_600_000);
});

it('delivers to others while one never answers and one answers after 20 s, and calls that a failure', async () => {
  const silent = await createOutput({ never: true });
  const { url: silentUrl } = receivers.at(-1)!;
  const [prompt, slow] = [await createOutput({}), await createOutput({ status: 200, afterMs: 20_000 })];
  // The silent server is called after the deliveries to the others: on a busy machine they may take longer than its 15 s.
  let begin = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => (begin = resolve));
  DeliverySender.prototype.send = async function (url, ...rest) {
    if (url === silentUrl) await hasBegun;
    return send.call(this, url, ...rest);
  };
  const waiting = await setup.ping(silent);
  const late = await setup.ping(slow);
  try {
    for (let i = 0; i < 3; i++) expect(await pingOnce(prompt)).toMatchObject({ state: 'delivered' });
    expect(await gateway.manage('GET', `/deliveries/${waiting}`)).toMatchObject({ state: 'pending', attempts: [] });
  } finally {
    DeliverySender.prototype.send = send;
    begin();
  }
  const { attempts } = await setup.waitForDelivery(waiting, (delivery) => delivery.attempts.length > 0);
  const timeout = { status: null, answer: expect.stringMatching(/within 15 s/) };
  expect(attempts[0]).toMatchObject(timeout);
  const answeredLate = await setup.waitForDelivery(late, (delivery) => delivery.attempts.length > 0);
  expect(answeredLate.attempts[0]).toMatchObject(timeout);
});

it('refuses an expired certificate, with the reason', async () => {
  const server = createServer(selfSigned(['127.0.0.1'], { expired: true }), (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { id } = await setup.createOutput({ url: `https://127.0.0.1:${port}/` });
  expect(await pingOnce(id)).toMatchObject({ status: null, answer: expect.stringMatching(/certificate.*renew it/) });
  await new Promise((resolve) => server.close(resolve));
});

it('does not take a private address', async () => {
  const { project } = setup;
  const answer = await gateway.callManagement('POST', '/webhook-outputs', {
    project_id: project,
    url: 'https://10.1.2.3/',
  });
  expect([answer.status, answer.body.details[0]]).toMatchObject([422, { path: 'url', code: 'private_address' }]);
});

it('sends nothing to a server to which no connection is possible for an earlier delivery, so that none overtakes another', async () => {
  const receiver = await WebhookReceiver.start();
  const { id } = await setup.createOutput(receiver);
  await receiver.close();
  expect(await pingOnce(id)).toMatchObject({
    status: null,
    answer: expect.stringMatching(/^The connection to the host failed/),
  });
  for (let i = 0; i < 2; i++)
    expect(await pingOnce(id)).toMatchObject({
      status: null,
      answer: expect.stringMatching(/^Not sent/),
      state: 'pending',
    });
});

it.each([
  ['has other bytes', `overlay(data placing 'AAAAAAAA' from 200 for 8)`],
  ['cannot be decoded', `'{'`],
])(
  'does not send a body whose stored part %s: the attempt fails, and the delivery is shown without it',
  async (_, data) => {
    const receiver = await WebhookReceiver.start();
    receivers.push(receiver);
    const { id: output } = await setup.createOutput(receiver);
    await setup.sendPost('large', { metadata: { filler: 'x'.repeat(100_000) } });
    const { id } = await until('it arrives', async () => {
      const { items } = await gateway.manage('GET', `/webhook-outputs/${output}/deliveries?state=delivered`);
      return items[0] as { id: string } | undefined;
    });
    const damage = `update event_store.event set data = ${data} where stream = $1`;
    await gateway.pool.query(damage, [`deliveryBody-${id}`]);
    await gateway.manage('POST', `/deliveries/${id}/retry`);
    const { attempts, body } = await setup.waitForDelivery(id, (delivery) => delivery.attempts.length > 1);
    expect(attempts[1]).toMatchObject({
      status: null,
      answer: expect.stringMatching(/^The stored body of this delivery/),
    });
    expect(body).toBeNull();
    expect(receiver.received).toHaveLength(1);
  },
);

describe('a signing secret that cannot be decrypted', () => {
  const damageSecrets = (ids: readonly string[]) =>
    gateway.pool.query(
      `update ops_secret set sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1) where secret_id = any($1)`,
      [ids],
    );
  const readSecretIds = async (): Promise<string[]> =>
    (await gateway.pool.query<{ secret_id: string }>('select secret_id from ops_secret')).rows.map(
      ({ secret_id }) => secret_id,
    );
  /** Creates an output whose secret cannot be decrypted. */
  const createDamaged = async () => {
    const before = new Set(await readSecretIds());
    const receiver = await WebhookReceiver.start();
    receivers.push(receiver);
    const output = await setup.createOutput(receiver);
    await damageSecrets((await readSecretIds()).filter((id) => !before.has(id)));
    return { receiver, output };
  };

  it('is a failed attempt that says what to do, and disables the output until the secret is rotated', async () => {
    const { receiver, output } = await createDamaged();
    const attempt = await pingOnce(output.id);
    expect(attempt).toMatchObject({
      status: null,
      state: 'pending',
      answer: expect.stringMatching(/decrypted.*rotate/),
    });
    expect(receiver.received).toEqual([]);
    await gateway.manage('POST', `/webhook-outputs/${output.id}/rotate-secret`);
    await until('it is disabled', async () => {
      return (await gateway.manage('GET', `/webhook-outputs/${output.id}`)).disabled_by === 'secret';
    });
    await gateway.manage('POST', `/webhook-outputs/${output.id}/enable`);
    await gateway.manage('POST', `/deliveries/${attempt.id}/retry`);
    await setup.waitForDelivery(attempt.id, ({ state }) => state === 'delivered');
  });

  it('does not hold back the new one that replaces it with an overlap', async () => {
    const { receiver, output } = await createDamaged();
    const { secret_whsec } = await gateway.manage('POST', `/webhook-outputs/${output.id}/rotate-secret`, {
      overlap_minutes: 10_080,
    });
    expect(await pingOnce(output.id)).toMatchObject({ state: 'delivered' });
    const [{ raw, headers }] = receiver.received as [WebhookReceiver['received'][0]];
    expect(new Webhook(secret_whsec).verify(raw, headers as Record<string, string>)).toBeTruthy();
  });
});
