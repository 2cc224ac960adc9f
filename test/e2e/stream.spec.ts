// More than 20 s: three processes start on each of two stores, and one of them starts again after a kill.
import { EventStream } from '../support/event-stream.js';
import type { Gateway } from '../support/gateway-process.js';
import { postIdOf } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { sendPost, startSharedServers } from './gateway-processes.js';
import { OPERATOR_KEY, type Post } from './management-client.js';
import { until } from './until.js';

const follow = ({ url }: Gateway, lastId?: string): Promise<EventStream> =>
  EventStream.open(`${url}/manage/v1/stream`, OPERATOR_KEY, lastId === undefined ? {} : { 'last-event-id': lastId });

/** Waits until a stream tells of a post and its publication. */
const waitForPublication = async (stream: EventStream, gateway: Gateway, id: string): Promise<Post> => {
  await stream.waitForChange('post', id);
  // The stream waits at most two seconds for a read model that is behind.
  const post = await until('the post is shown', async () => {
    const found = await createManagementClient(gateway).findPost(id);
    return found.publications.length > 0 && found;
  });
  await stream.waitForChange('publication', post.publications[0]!.id);
  return post;
};

for (const storeName of ['PostgreSQL', 'an event store'])
  e2eTest(`streams of two API processes miss nothing, also after a kill (${storeName})`, async (harness) => {
    const more: Record<string, string> = {};
    if (storeName !== 'PostgreSQL') more.EVENT_STORE_URL = (await harness.startEventStore()).connectionString;
    const { start } = await startSharedServers(harness, more);
    const [one, other] = await Promise.all([start('api'), start('api'), start('worker')]);
    const { endpoints } = await createManagementClient(one).seed(1, [[0]]);
    const send = async (gateway: Gateway, text: string) =>
      postIdOf((await sendPost(gateway.url, endpoints[0]!, text)).answer);

    const streams = await Promise.all([follow(one), follow(other)]);
    for (const gateway of [one, other]) {
      const post = await send(gateway, `by ${gateway.url}`);
      await waitForPublication(streams[0], one, post);
      await waitForPublication(streams[1], other, post);
    }

    // A position at which KurrentDB has no event, unlike PostgreSQL.
    const early = await follow(one, '1');
    if (storeName !== 'PostgreSQL') expect(early.events[0]).toMatchObject({ data: { kind: 'reset' } });
    await early.waitForChange('post', await send(one, 'after the first position'));

    await other.program.kill();
    await streams[1].waitForEnd();
    const { lastId } = streams[1];
    const missed = await send(one, 'missed');
    await waitForPublication(streams[0], one, missed);
    const restarted = await start('api');
    for (const gateway of [restarted, one]) {
      const resumed = await follow(gateway, lastId);
      await waitForPublication(resumed, gateway, missed);
      const next = await send(one, `after ${gateway.url}`);
      await waitForPublication(resumed, gateway, next);
    }

    expect(await restarted.program.terminate()).toEqual({ code: 0, signal: null });
  });
