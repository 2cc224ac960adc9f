/**
 * Accepts posts as the API does, but many at a time and without HTTP: the same events through the same event store. For
 * benches that need a backlog.
 */
import { catalogue } from '../dist/domain/catalogue.js';
import { post as decider } from '../dist/domain/post/post.decider.js';
import { EventCodec } from '../dist/event-store/codec.js';
import { PostgresEventStore } from '../dist/event-store/postgres/postgres-event-store.js';
import { AggregateStore, emptyAggregate } from '../dist/event-store/aggregate-store.js';
import { newId, newUuid } from '../dist/kernel/ids.js';

/** Number of concurrent appends: enough for full batches of the group commit. */
const CONCURRENT_APPENDS = 2_000;

/** Returns a unique text of usual length. */
export const textOf = (n) =>
  `Post ${n} of the bench: a text of usual length, with some words in bold and a link, as channels get it every day.`;

const ENTITIES = [
  { type: 'bold', offset: 0, length: 4 },
  { type: 'text_link', offset: 9, length: 3, url: 'https://example.com/' },
];

/** Opens a feed of posts. @param connectionString database of a gateway that has started once */
export const openFeed = (connectionString) => {
  const store = new PostgresEventStore({ connectionString });
  const aggregates = new AggregateStore(store, new EventCodec(catalogue));
  let postCount = 0;
  let turn = 0;

  const accept = async (endpoint, channels) => {
    const [postId, requestId, acceptedAt] = [newId('post'), newId('req'), Date.now()];
    const { endpointId, ownerId } = endpoint;
    const payload = { text: textOf(++postCount), entities: ENTITIES };
    const facts = {
      ...{ postId, acceptedAt, endpointId, ownerId, key: null, externalId: null, traceId: null, payload, parts: null },
      bodyHash: '0'.repeat(64),
      targets: channels.map(({ channelId, projectId }) => ({
        ...{ publicationId: newId('pub'), channelId, projectId },
        platform: 'telegram',
      })),
      request: { ip: '127.0.0.1', userAgent: null, route: 'publish', payloadBytes: 200, latencyMs: 0 },
    };
    const ids = { requestId, causationId: requestId, correlationId: requestId };
    const origin = { actor: `endpoint:${endpointId}`, ...ids, clientAddress: '127.0.0.1' };
    const context = { ...origin, commandId: newUuid(), at: acceptedAt };
    const { aggregate } = await aggregates.execute(
      decider,
      postId,
      { type: 'AcceptPost', data: facts },
      context,
      emptyAggregate(decider),
    );
    return aggregate.position;
  };

  return {
    store,
    /**
     * Accepts `count` posts, for the endpoints of {@link seed} in turn. Each post goes to the channels of `targets` endpoints.
     * Returns the position of the last post.
     * @param onProgress called after every 10,000 posts
     */
    async add(endpoints, count, { targets = 1, onProgress = () => undefined } = {}) {
      const channelsOf = (i) =>
        Array.from({ length: targets }, (_, n) => endpoints[(turn + i * targets + n) % endpoints.length]);
      let next = 0;
      let last = -1n;
      const lane = async () => {
        while (next < count) {
          const i = next++;
          const channels = channelsOf(i);
          const position = await accept(channels[0], channels);
          if (position > last) last = position;
          if ((i + 1) % 10_000 === 0) onProgress(i + 1);
        }
      };
      await Promise.all(Array.from({ length: Math.min(CONCURRENT_APPENDS, count) }, lane));
      turn = (turn + count * targets) % endpoints.length;
      return last;
    },
    close: () => store.close(),
  };
};
