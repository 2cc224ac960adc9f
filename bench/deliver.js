/**
 * bench -- deliver: measures webhook deliveries per second to 100 outputs. The baseline is bare loops of signed POSTs
 * to the same server in alternating rounds, one loop per output with one request at a time. The deliveries of a round
 * are scheduled before it and are due at the same time. Then measures the time from an event to its arrival at 100
 * events a second, first with servers that answer at once, then with one that answers after 15 s; the figures are for
 * the others.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '../dist/domain/catalogue.js';
import { delivery as decider } from '../dist/domain/delivery/delivery.decider.js';
import { AggregateStore, emptyAggregate } from '../dist/event-store/aggregate-store.js';
import { EventCodec } from '../dist/event-store/codec.js';
import { PostgresEventStore } from '../dist/event-store/postgres/postgres-event-store.js';
import { newId, newUuid } from '../dist/kernel/ids.js';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { median, quantile, until, watchProjections } from './publishing.js';
import { seed, unlimitedProfile } from './seed.js';

const OUTPUTS = readOption(process.argv, 'outputs', 100);
/** Time allowed for scheduling and projecting a round's deliveries, in ms. */
const LEAD_MS = readOption(process.argv, 'lead', 20) * 1_000;
/** Share of a round that is measured: at its end, fewer and fewer outputs have deliveries. */
const MEASURED_SHARE = 0.9;
/** Time in ms after which the slow server answers. */
const SLOW_MS = readOption(process.argv, 'slow', 15) * 1_000;
const EVENTS_PER_SECOND = 100;

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 3);
  const each = readOption(args, 'each', 50);
  const seconds = readOption(args, 'seconds', 5);
  const latency = readOption(args, 'latency', 20);
  const steady = readOption(args, 'steady', 20);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const receive = environment.startGenerator('webhook-receiver.js');
    const post = environment.startGenerator('signed-post-loop.js');
    const { port } = await receive({ latency });
    const settings = { DATABASE_URL: environment.connectionString, LOG_LEVEL: 'error' };
    const allowed = { ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };
    const { url } = await environment.startGateway({ ...settings, ...allowed, ROLES: 'api,worker' });
    const { ownerId, outputs } = await createOutputs(url, port);
    const store = new PostgresEventStore({ connectionString: environment.connectionString });
    environment.onEnd(() => store.close());
    const aggregates = new AggregateStore(store, new EventCodec(catalogue));
    const projections = await watchProjections(environment.connectionString);
    environment.onEnd(() => projections.close());

    const schedule = async (outputId, at) => {
      const deliveryId = newId('dlv');
      const body = JSON.stringify({ ...EVENT, at });
      const data = { deliveryId, outputId, ownerId, kind: 'post.published', body, parts: null, at };
      const requestId = newId('req');
      const ids = { requestId, causationId: requestId, correlationId: requestId };
      const context = { actor: 'system:bench', ...ids, clientAddress: null, commandId: newUuid(), at: Date.now() };
      const command = { type: 'ScheduleDelivery', ...data };
      const done = await aggregates.execute(decider, deliveryId, command, context, emptyAggregate(decider));
      return done.aggregate.position;
    };
    const deliver = async () => {
      const at = Date.now() + LEAD_MS;
      const before = (await receive({ read: true })).count;
      const all = outputs.flatMap((id) => Array.from({ length: each }, () => id));
      const positions = await Promise.all(all.map((id) => schedule(id, at)));
      const head = positions.reduce((last, next) => (next > last ? next : last));
      await until(async () => (await projections.readPosition()) >= head);
      if (Date.now() > at) throw new Error('scheduling took longer than its time: use a smaller --each');
      await sleep(at - Date.now());
      const measured = Math.floor(all.length * MEASURED_SHARE);
      await until(async () => (await receive({ read: true })).count >= before + measured);
      const rate = measured / ((Date.now() - at) / 1_000);
      await until(async () => (await receive({ read: true })).count >= before + all.length);
      return { rate };
    };
    const loop = async () => {
      const { answered } = await post({ port, seconds, body: JSON.stringify({ ...EVENT, at: 0 }), loops: OUTPUTS });
      return { rate: answered / seconds };
    };

    await deliver();
    await loop();
    const results = { bare: [], ours: [] };
    for (let round = 1; round <= rounds; round++) {
      results.bare.push(await loop());
      results.ours.push(await deliver());
      const [bare, ours] = [results.bare.at(-1).rate, results.ours.at(-1).rate];
      console.log(`round ${round}/${rounds}  bare ${whole(bare)}/s   crosspost ${whole(ours)}/s`);
    }
    const [bare, ours] = [median(results.bare).rate, median(results.ours).rate];
    console.log(`\nmedians, ${OUTPUTS} outputs that answer after ${latency} ms`);
    console.log(`bare ${whole(bare)}/s   crosspost ${whole(ours)}/s   ratio ${(ours / bare).toFixed(2)} ×`);

    const keepSending = async () => {
      await receive({ reset: true });
      const pending = [];
      const startedAt = Date.now();
      for (let i = 0; i < steady * EVENTS_PER_SECOND; i++) {
        const due = startedAt + (i * 1_000) / EVENTS_PER_SECOND;
        if (due > Date.now()) await sleep(due - Date.now());
        pending.push(schedule(outputs[i % OUTPUTS], Date.now()));
      }
      await Promise.all(pending);
      await until(async () => (await receive({ read: true })).others >= steady * EVENTS_PER_SECOND * (1 - 1 / OUTPUTS));
      const { delays } = await receive({ delays: true });
      return { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) };
    };
    await keepSending();
    const steadyResults = { prompt: [], slow: [] };
    for (let round = 1; round <= rounds; round++) {
      await receive({ slowMs: 0 });
      steadyResults.prompt.push(await keepSending());
      await receive({ slowMs: SLOW_MS });
      steadyResults.slow.push(await keepSending());
      const [prompt, slow] = [steadyResults.prompt.at(-1), steadyResults.slow.at(-1)];
      console.log(`round ${round}/${rounds}  all prompt ${delay(prompt)}   one after 15 s ${delay(slow)}`);
      await sleep(SLOW_MS);
    }
    const [prompt, slow] = [median(steadyResults.prompt), median(steadyResults.slow)];
    console.log(
      `\nmedians, ${EVENTS_PER_SECOND} events/s   all prompt ${delay(prompt)}   one after 15 s ${delay(slow)}`,
    );
    console.log(`p99 of the others ${(slow.p99 / prompt.p99).toFixed(2)} ×`);
  });
};

const EVENT = {
  kind: 'post.published',
  post_id: 'post_0195931f3c007000a000000000000001',
  text: 'A text of usual length, with some words in bold and a link, as channels get it every day.',
  entities: [{ type: 'bold', offset: 0, length: 4 }],
  project: { id: 'prj_0195931f3c007000a000000000000002', name: 'News' },
  target: { id: 'tgt_0195931f3c007000a000000000000003', platform: 'telegram', name: 'News' },
};

/** Creates the outputs, each with its own path on the same server. */
const createOutputs = async (url, port) => {
  const [{ ownerId, projectId }] = await seed(url, OPERATOR_KEY, { endpoints: 1 });
  const outputs = [];
  for (let i = 0; i < OUTPUTS; i++) {
    const response = await fetch(`${url}/manage/v1/webhook-outputs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project_id: projectId, url: `http://127.0.0.1:${port}/out/${i}` }),
    });
    const { id } = await response.json();
    if (response.status !== 201) throw new Error(`creating an output was answered with ${response.status}`);
    outputs.push(id);
  }
  return { ownerId, outputs };
};

const whole = (value) => value.toFixed(0).padStart(5);
const delay = ({ p50, p99 }) => `p50 ${p50.toFixed(0)} ms p99 ${p99.toFixed(0)} ms`;
