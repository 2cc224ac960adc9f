/**
 * Accepts posts as the API does and, on request, publishes them as a worker does, but many at a time and without HTTP
 * and networks: the same events go through the same event store. For benches that need a backlog or a long log.
 */
import { catalogue } from '../dist/domain/catalogue.js';
import { post as decider } from '../dist/domain/post/post.decider.js';
import { publication } from '../dist/domain/publication/publication.decider.js';
import { AggregateStore, emptyAggregate } from '../dist/event-store/aggregate-store.js';
import { EventCodec } from '../dist/event-store/codec.js';
import { PostgresEventStore } from '../dist/event-store/postgres/postgres-event-store.js';
import { newId, newUuid } from '../dist/kernel/ids.js';

/** Number of concurrent appends: enough for full batches of the group commit. */
const CONCURRENT_APPENDS = 2_000;

/** Returns a unique text of typical length. */
export const textOf = (n) =>
  `Post ${n} of the bench: a text of usual length, with some words in bold and a link, as channels get it every day.`;

const ENTITIES = [
  { type: 'bold', offset: 0, length: 4 },
  { type: 'text_link', offset: 9, length: 3, url: 'https://example.com/' },
];

const PUBLISHED = { type: 'MarkPublished', urls: [], warnings: [] };
const ERROR = { code: 'bad_request', category: 'platform', source: 'telegram', message: 'Telegram refused the post.' };
/** Outcomes of an attempt other than success. */
const OUTCOMES = {
  failed: { type: 'MarkFailed', error: ERROR },
  in_doubt: { type: 'MarkInDoubt', error: ERROR, resendAt: null },
};

/** Opens a feed of posts. @param connectionString database of a gateway that has started once */
export const openFeed = (connectionString) => {
  const store = new PostgresEventStore({ connectionString });
  const aggregates = new AggregateStore(store, new EventCodec(catalogue));
  let postCount = 0;
  let turn = 0;

  const accept = async (endpoint, channels, publishAt) => {
    const [postId, requestId, acceptedAt] = [newId('post'), newId('req'), Date.now()];
    const { endpointId, ownerId } = endpoint;
    const plan = publishAt === undefined ? {} : { plan: { publishAt, requiresApproval: false, isReleased: false } };
    const payload = { text: textOf(++postCount), entities: ENTITIES };
    const facts = {
      postId,
      acceptedAt,
      endpointId,
      ownerId,
      key: null,
      externalId: null,
      traceId: null,
      payload,
      parts: null,
      bodyHash: '0'.repeat(64),
      targets: channels.map(({ channelId, projectId, platform }) => ({
        publicationId: newId('pub'),
        channelId,
        projectId,
        platform,
      })),
      request: { ip: '127.0.0.1', userAgent: null, route: 'publish', payloadBytes: 200, latencyMs: 0 },
      ...plan,
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
    return { position: aggregate.position, postId, requestId, targets: facts.targets };
  };

  /** Records that the publications of an accepted post were sent. Returns the position of the last event. @param end see OUTCOMES */
  const publish = async ({ postId, requestId, targets }, end) => {
    let position = -1n;
    for (const { publicationId, channelId } of targets) {
      const context = () => ({
        actor: 'system:publishing',
        requestId,
        causationId: requestId,
        correlationId: requestId,
        clientAddress: null,
        commandId: newUuid(),
        at: Date.now(),
      });
      const ids = { publicationId, postId, channelId, at: Date.now() };
      const start = {
        type: 'StartAttempt',
        after: 0,
        worker: 'bench',
        sending: 'message',
        projectRevision: null,
        ...ids,
      };
      const empty = emptyAggregate(publication);
      const started = await aggregates.execute(publication, publicationId, start, context(), empty);
      const sent = { attempt: 1, ...(end ?? { ...PUBLISHED, messageIds: [String(++postCount)] }) };
      const known = started.aggregate;
      const done = await aggregates.execute(publication, publicationId, { ...sent, ...ids }, context(), known);
      position = done.aggregate.position;
    }
    return position;
  };

  return {
    store,
    /**
     * Accepts `count` posts, for the endpoints of {@link seed} in turn. Each post goes to the channels of `targets`
     * endpoints. Returns the position of the last post.
     * @param onProgress called after every 10,000 posts
     * @param isPublished true to publish them too, which makes three events for a post with one channel
     * @param outcome one of {@link OUTCOMES}, with which they are sent
     * @param dueAt for planned posts; returns the time that the i-th is planned for, in ms
     */
    async add(
      endpoints,
      count,
      {
        targets = 1,
        isPublished = false,
        outcome = undefined,
        dueAt = () => undefined,
        onProgress = () => undefined,
      } = {},
    ) {
      const channelsOf = (i) =>
        Array.from({ length: targets }, (_, n) => endpoints[(turn + i * targets + n) % endpoints.length]);
      let next = 0;
      let last = -1n;
      const lane = async () => {
        while (next < count) {
          const i = next++;
          const channels = channelsOf(i);
          const accepted = await accept(channels[0], channels, dueAt(i));
          const isSent = isPublished || outcome !== undefined;
          const position = isSent ? await publish(accepted, OUTCOMES[outcome]) : accepted.position;
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
