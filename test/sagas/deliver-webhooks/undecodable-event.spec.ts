import { newUuid } from '../../../src/kernel/ids.js';
import type { TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { startWebhookGateway, WebhookSetup } from './webhook-harness.js';

let gateway: TestGateway;
let receiver: WebhookReceiver;
beforeAll(async () => {
  gateway = await startWebhookGateway();
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await gateway.stop();
  await receiver.close();
});

const SAGA = 'schedule-deliveries';

/** Reads the value of a gauge of a saga. While the database is slow, the page leaves it out. */
const readGauge = (name: string, saga = SAGA): Promise<number> =>
  until(`${name} has a value`, async () => {
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    const line = new RegExp(`^${name}\\{saga="${saga}"\\} (\\S+)$`, 'm').exec(page);
    return line ? Number(line[1]) : null;
  });
const readDegraded = async (): Promise<readonly { readonly name: string; readonly reason: string }[]> => {
  const { body } = await gateway.call('GET', '/readyz');
  return body.degraded;
};

/** Appends an event whose data no program can read. */
const appendDamaged = async (): Promise<string> => {
  const id = newUuid();
  const metadata = { version: 1, at: Date.now(), actor: 'test', request_id: '', causation_id: '', correlation_id: '' };
  const damaged = { id, type: 'PublicationFiltered', metadata: JSON.stringify({ ...metadata, ip: null, hash: '' }) };
  const stream = `publication-${id}`;
  const { position } = await gateway.infrastructure.store.append(stream, 'noStream', [{ ...damaged, data: '{' }]);
  return String(position);
};

it('one event that cannot be read stops the deliveries of all owners visibly, until an operator leaves it out', async () => {
  const [first, other] = [await WebhookSetup.create(gateway), await WebhookSetup.create(gateway)];
  for (const setup of [first, other]) await setup.createOutput(receiver);
  await first.sendPost('before');
  await until('it is delivered', () => receiver.received.length === 1);
  expect(await readGauge('crosspost_saga_stopped')).toBe(0);

  const position = await appendDamaged();
  const saga = await until('the saga has stopped', async () => {
    const found = await gateway.manage('GET', `/sagas/${SAGA}`);
    return found.state === 'stopped' && found;
  });
  expect(saga).toMatchObject({ error: { position, type: 'PublicationFiltered' }, skipped: 0 });
  expect(saga.lag_events).toBeGreaterThan(0);
  await until('/readyz names it', async () => (await readDegraded()).some(({ name }) => name === `saga/${SAGA}`));
  await until('the metrics show it', async () => (await readGauge('crosspost_saga_stopped')) === 1);
  expect(await readGauge('crosspost_saga_lag')).toBeGreaterThan(0);
  expect(await readGauge('crosspost_saga_position')).toBeLessThan(Number(position));

  const elsewhere = { position: '1', reason: 'wrong place' };
  expect(await gateway.callManagement('POST', `/sagas/${SAGA}/skip`, elsewhere)).toMatchObject({
    status: 409,
    body: { code: 'not_stopped', errors: [expect.stringContaining(`stopped at position ${position}`)] },
  });
  for (const name of ['activity', 'audit', 'posts', 'publish-schedule']) {
    await until(`${name} has stopped`, async () => {
      const { state } = await gateway.manage('GET', `/projections/${name}`);
      return state === 'stopped';
    });
    await gateway.manage('POST', `/projections/${name}/skip`, { reason: 'damaged by hand' });
  }
  const { items } = await gateway.manage('GET', '/sagas');
  for (const { name, error } of items)
    if (error) await gateway.manage('POST', `/sagas/${name}/skip`, { position, reason: 'damaged by hand' });

  await other.sendPost('after');
  await until('the other owner receives it', () => receiver.received.some(({ body }) => body.text === 'after'));
  await until('nothing is degraded', async () => (await readDegraded()).length === 0);
  expect(await gateway.manage('GET', `/sagas/${SAGA}`)).toMatchObject({ state: 'live', error: null, skipped: 1 });
  const trail = await until('the audit trail shows the skip', async () => {
    const { items: found } = await gateway.manage('GET', `/history/events?aggregate=saga&id=${SAGA}`);
    return found.length > 0 && found;
  });
  expect(trail).toEqual([
    expect.objectContaining({
      type: 'SagaEventSkipped',
      actor: 'operator',
      aggregate: 'saga',
      aggregate_id: SAGA,
      data: expect.objectContaining({ saga: SAGA, position, reason: 'damaged by hand' }),
    }),
  ]);
  expect(receiver.received.map(({ body }) => body.text)).toEqual(['before', 'after']);
  const again = { position, reason: 'once more' };
  expect(await gateway.callManagement('POST', `/sagas/${SAGA}/skip`, again)).toMatchObject({
    status: 409,
    body: { code: 'not_stopped' },
  });
});

it('the sagas are the operator’s, and a skip says what is wrong', async () => {
  const names = (await gateway.manage('GET', '/sagas')).items.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining([SAGA, 'raise-notices', 'write-transparency-log']));
  expect((await gateway.callManagement('GET', '/sagas/none')).status).toBe(404);
  expect((await gateway.callManagement('POST', `/sagas/${SAGA}/skip`, {})).status).toBe(422);
  expect((await gateway.callManagement('POST', `/sagas/${SAGA}/skip`, { position: 'x', reason: 'y' })).status).toBe(
    422,
  );
  const { key } = await gateway.manage('POST', '/owners', { name: 'Ada', plan: 'business' });
  for (const path of ['/sagas', `/sagas/${SAGA}`]) {
    const answer = await gateway.call('GET', `/manage/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  }
});
