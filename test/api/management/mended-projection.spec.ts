import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import type { Projection } from '../../../src/projections/engine/projection.js';
import { posts } from '../../../src/projections/posts/posts.projection.js';
import { until } from '../../e2e/until.js';
import { type ChosenStore, startChosenStore } from '../../support/event-store-server.js';
import { type Caller, type ManagementHarness, operatorCaller, startHarness } from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

let chosen: ChosenStore;
let harness: ManagementHarness;
let operator: Caller;
let first: PublishingSetup;
let second: PublishingSetup;
beforeAll(async () => {
  chosen = await startChosenStore();
  harness = await startHarness({ LIMITS_PROFILE, ...chosen.settings });
  operator = operatorCaller(harness);
  first = await PublishingSetup.create(harness);
  second = await PublishingSetup.create(harness, first.owner);
});
afterAll(async () => {
  await harness.stop();
  await chosen.stop();
});

/**
 * Replaces a projection's rule with a wrong one, as a deployment may. Returns a function that restores the right one.
 */
const deployWrongRule = (projection: Projection, isForgotten: (type: string) => boolean): (() => void) => {
  const changing = projection as { apply: Projection['apply'] };
  const right = changing.apply;
  changing.apply = async (tx, events, cache) => {
    const left = events.filter(({ type }) => !isForgotten(type));
    if (left.length > 0) await right(tx, left, cache);
  };
  return () => void (changing.apply = right);
};

/** Makes the live schedule keep a channel's ended publications as due, and waits for the first of them. */
const breakSchedule = async (channelId: string): Promise<void> => {
  const { pool } = harness.running.infrastructure;
  const { body } = await operator.get('/projections/publish-schedule').expect(200);
  await pool.query(`
    create function keep_row() returns trigger language plpgsql as 'begin return null; end';
    create trigger keep before delete on publish_schedule_v${body.version}.publication
      for each row when (old.channel_id = '${channelId}') execute function keep_row();`);
  await until('it lists one that is published', async () => {
    const { rowCount } = await pool.query(
      `select from publish_schedule_v${body.version}.publication join posts.publication p using (publication_id)
       where p.channel_id = $1 and p.state = 'published'`,
      [channelId],
    );
    return rowCount !== 0;
  });
};

/** True once `posts` has moved past the event by which a post's publication has succeeded. */
const hasPassedSuccess = async (postId: string): Promise<boolean> => {
  const { id } = await first.readPublication(postId);
  const { pool, store } = harness.running.infrastructure;
  const success = (await store.readStream(`publication-${id}`)).find(({ type }) => type === 'PublicationSucceeded');
  const { rowCount } = await pool.query(
    `select from ops_checkpoint c join ops_projection p on p.name = c.name and p.live_version = c.version
     where p.name = 'posts' and c.position >= $1`,
    [success?.position ?? null],
  );
  return rowCount !== 0;
};

const rebuild = async (name: string, promote: 'auto' | 'manual') => {
  const { body: job } = await operator.post(`/projections/${name}/rebuild`, { promote }).expect(202);
  return until(`the rebuild of ${name} has ended`, async () => {
    const { body } = await operator.get(`/jobs/${job.id}`).expect(200);
    return body.state !== 'running' && body;
  });
};

/** Fewer than an endpoint's limit of a minute, however fast the machine is. */
const MOST_DISCOVERIES = 50;

/** Until stopped, sends posts to both channels and reads what must be there at any moment. */
const startTraffic = (known: readonly string[]) => {
  const stopping = new AbortController();
  const sent: { readonly id: string; readonly text: string; readonly to: PublishingSetup }[] = [];
  const faults: unknown[] = [];
  const repeat = async (work: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; !stopping.signal.aborted; round++) {
      await work(round).catch((error: unknown) => faults.push(error));
      await sleep(10);
    }
  };
  const send = (to: PublishingSetup, name: string) =>
    repeat(async (round) => {
      const text = `${name} ${round}`;
      const id = await to.sendPost({ text });
      sent.push({ id, text, to });
      // A read model that is being rebuilt on a busy machine may be behind for longer than a reader waits.
      await until('the post is shown', async () => (await operator.get(`/posts/${id}`)).status === 200);
    });
  const read = repeat(async (round) => {
    const id = known[round % known.length]!;
    const { state } = await first.readPublication(id);
    if (state !== 'published') throw new Error(`${id} was published and is ${state}`);
    if (round >= MOST_DISCOVERIES) return;
    const { slug, token } = first.endpoint;
    const info = request(harness.url).get(`/v1/webhooks/${slug}/info`).set('authorization', `Bearer ${token}`);
    await info.expect(200);
  });
  const running = Promise.all([send(first, 'first'), send(second, 'second'), read]);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  return { sent, faults, stop };
};

describe('a projection with a wrong rule', () => {
  it('is mended and rebuilt under load, promoted and rolled back; nothing fails, nothing is sent twice', async () => {
    const known: string[] = [];
    for (let i = 0; i < 3; i++) known.push(await first.sendPost({ text: `known ${i}` }));
    for (const id of known) await first.waitForState(id, 'published');

    const mend = deployWrongRule(posts, (type) => type === 'PublicationSucceeded');
    const traffic = startTraffic(known);
    const wrong = await first.sendPost({ text: 'shown wrongly' });
    await until('the wrong rule has been applied to its success', () => hasPassedSuccess(wrong));
    mend();
    const isShown = async () => (await first.readPublication(wrong)).state === 'published';

    const { state, result } = await rebuild('posts', 'manual');
    expect({ state, promoted: result.promoted }).toEqual({ state: 'done', promoted: false });
    expect(result.different).toBeGreaterThan(0);
    expect(await isShown()).toBe(false);
    await operator.post('/projections/posts/promote').expect(200);
    expect(await isShown()).toBe(true);
    await operator.post('/projections/posts/rollback').expect(200);
    expect(await isShown()).toBe(false);
    await operator.post('/projections/posts/rollback').expect(200);
    expect(await isShown()).toBe(true);

    await breakSchedule(second.channel.id);
    const schedule = (await rebuild('publish-schedule', 'auto')).result;
    expect(schedule).toMatchObject({ promoted: true });
    expect(schedule.extra).toBeGreaterThan(0);
    expect((await rebuild('discovery', 'auto')).result).toMatchObject({ promoted: true, different: 0 });
    await traffic.stop();

    expect(traffic.faults).toEqual([]);
    for (const { id, to } of traffic.sent) await to.waitForState(id, 'published');
    const published = (await harness.telegram.readLedger()).map(({ text }) => text);
    const sent = [...known.map((_, i) => `known ${i}`), 'shown wrongly', ...traffic.sent.map(({ text }) => text)];
    expect(published.toSorted()).toEqual(sent.toSorted());
    const { body: verification } = await operator.post('/projections/posts/verify').expect(202);
    await until('the verification has ended', async () => {
      const { body } = await operator.get(`/jobs/${verification.id}`).expect(200);
      return body.state === 'done' && body.result.missing + body.result.extra + body.result.different === 0;
    });
  });
});
