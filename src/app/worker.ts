import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { InputWithdrawal } from '../commands/endpoint/input-withdrawal.js';
import { inputPlansOf, monthlyPostsOf } from '../config/limits-profile.js';
import type { Settings } from '../config/settings.js';
import { type Clock, systemClock } from '../kernel/clock.js';
import { GuardedClient } from '../outbound-http/guarded-client.js';
import { MediaCache } from '../media/media-cache.js';
import { openMediaDirectory } from '../media/media-directory.js';
import { PhotoEditor } from '../media/photo-editor.js';
import { addressPolicy } from '../outbound-http/address-policy.js';
import { createMaxPublisher } from '../platforms/max/max-publisher.js';
import { createOkPublisher } from '../platforms/ok/ok-publisher.js';
import { Publishers } from '../platforms/registry.js';
import { createTelegramPublisher } from '../platforms/telegram/telegram-publisher.js';
import { createVkPublisher } from '../platforms/vk/vk-publisher.js';
import { CircuitBreaker } from '../processing/translation/circuit-breaker.js';
import { LibreTranslate } from '../processing/translation/libre-translate.js';
import { createPool } from '../postgres/pool.js';
import { discovery } from '../projections/discovery/discovery.projection.js';
import { LiveEndpoints } from '../projections/discovery/live-endpoints.queries.js';
import { ChannelMessages } from '../projections/posts/channel-messages.queries.js';
import { PostPayloads } from '../projections/posts/post-payloads.js';
import { posts } from '../projections/posts/posts.projection.js';
import { publishSchedule } from '../projections/publish-schedule/publish-schedule.projection.js';
import { PublishScheduleQueries } from '../projections/publish-schedule/publish-schedule.queries.js';
import { requestLog } from '../projections/request-log/request-log.projection.js';
import type { Projection } from '../projections/engine/projection.js';
import { ProjectionRunner } from '../projections/engine/runner.js';
import { EventSaga } from '../sagas/engine/event-saga.js';
import { PauseAfterPublication } from '../sagas/pause-after-publication/pause-after-publication.js';
import { ChannelClaims } from '../sagas/publish-due-posts/claiming/channel-claims.js';
import { MediaFiles } from '../sagas/publish-due-posts/inputs/media-files.js';
import { KeptTranslations } from '../sagas/publish-due-posts/inputs/stored-translations.js';
import { Pacing } from '../sagas/publish-due-posts/attempt/pacing.js';
import { ProcessedPosts } from '../sagas/publish-due-posts/inputs/processed-posts.js';
import { PublishDuePosts } from '../sagas/publish-due-posts/publish-due-posts.saga.js';
import { Publish } from '../sagas/publish-due-posts/attempt/publication-runner.js';
import { Rooms } from '../sagas/publish-due-posts/claiming/platform-concurrency.js';
import { Quota } from '../sagas/publish-due-posts/attempt/quota.js';
import { raiseNotices } from '../sagas/raise-notices/raise-notices.js';
import { withdrawInput } from '../sagas/withdraw-input/withdraw-input.js';
import type { Infrastructure } from './infrastructure.js';

/** Base addresses of the networks, by identifier. */
export type PlatformUrls = Readonly<Record<'telegram' | 'vk' | 'max' | 'ok', string>>;

/** Every read model there is. */
export const projectionsOf = (settings: Settings): readonly Projection[] => [
  discovery,
  publishSchedule(settings.minuteMs),
  posts,
  requestLog,
];

/** The publishers, one for each network. `limits`: in place of their own. */
export const publishersOf = (urls: PlatformUrls, limits: { readonly timeoutMs?: number } = {}) => [
  createTelegramPublisher({ apiUrl: urls.telegram, ...limits }),
  createVkPublisher({ apiUrl: urls.vk, ...limits }),
  createMaxPublisher({ apiUrl: urls.max, ...limits }),
  createOkPublisher({ apiUrl: urls.ok, ...limits }),
];

/** Switches off what a plan does not allow. */
export const inputWithdrawalOf = (
  { limitsProfile }: Settings,
  { streams, pool }: Pick<Infrastructure, 'streams' | 'pool'>,
): InputWithdrawal => new InputWithdrawal(streams, new LiveEndpoints(pool), inputPlansOf(limitsProfile));

/** What a worker goes by where it is not played with. */
export interface WorkerOptions {
  /** The machine's own by default. */
  readonly clock?: Clock;
  /** Milliseconds for a call to a network, in place of each network's own. */
  readonly callTimeoutMs?: number;
}

/** Runs one projection over a connection of its own; a transaction that stands still there is ended by the server. */
const runProjection = async (
  projection: Projection,
  { leaseMs }: Settings,
  on: Infrastructure,
  log: Logger,
  signal: AbortSignal,
): Promise<void> => {
  const idleInTransactionMs = Math.max(2_000, leaseMs / 2);
  const options = { max: 1, applicationName: `crosspost ${projection.name}`, logger: log, idleInTransactionMs };
  const pool = createPool(on.connectionString, options);
  await new ProjectionRunner(projection, { ...on, pool, log }).run(signal);
  await pool.end();
};

/** Media on their way to the networks: files of this process below DATA_DIR, gone when it stops. */
const openMedia = async (settings: Settings, { inspector }: Infrastructure, log: Logger) => {
  const directory = await openMediaDirectory(join(settings.dataDir, 'media'));
  const client = new GuardedClient({ policy: addressPolicy(settings.allowPrivateAddresses) });
  const editor = new PhotoEditor({ log });
  const { path, capacityBytes } = directory;
  const cache = new MediaCache({ client, inspector, editor, directory: path, capacityBytes });
  return {
    files: new MediaFiles(cache, log),
    async close() {
      editor.close();
      await cache.close();
      await client.close();
      await directory.close();
    },
  };
};

/** The worker's way to translation services: these may take their time. */
const openTranslator = ({ allowPrivateAddresses }: Settings, { vault }: Infrastructure) => {
  const policy = addressPolicy(allowPrivateAddresses);
  const client = new GuardedClient({ policy, timeouts: { headersMs: TRANSLATION_MS } });
  const translator = new CircuitBreaker(new LibreTranslate(client, vault, TRANSLATION_MS));
  return { translator, close: () => client.close() };
};
const TRANSLATION_MS = 30_000;

/** Channels of one network that a process publishes on at the same time, those that only wait left out. */
const CHANNELS_OF_A_NETWORK = 512;
/** How long a stopping worker waits for the networks' answers: what is broken off is in doubt. */
const SENDING_MS = 3_000;

/** Role `worker`: projections and sagas. Answers how to stop it: it then finishes what is being sent. */
export const startWorker = async (
  settings: Settings,
  on: Infrastructure,
  urls: PlatformUrls,
  log: Logger,
  { clock = systemClock, callTimeoutMs }: WorkerOptions = {},
): Promise<() => Promise<void>> => {
  const media = await openMedia(settings, on, log);
  const translation = openTranslator(settings, on);
  await on.leases.start();
  const publishers = publishersOf(urls, callTimeoutMs === undefined ? {} : { timeoutMs: callTimeoutMs });
  const projecting = new AbortController();
  const working = new AbortController();
  const sending = new AbortController();
  // Hundreds of channels listen to them at a time; that is no leak.
  setMaxListeners(0, projecting.signal, working.signal, sending.signal);
  const runners = projectionsOf(settings).map((projection) =>
    runProjection(projection, settings, on, log, projecting.signal),
  );
  const schedule = new PublishScheduleQueries(on.pool, settings.minuteMs);
  const networks = new Publishers(publishers);
  const rooms = new Rooms(networks.platforms, CHANNELS_OF_A_NETWORK);
  const publish = new Publish({
    ...on,
    payloads: new PostPayloads(on.store, on.codec),
    publishers: networks,
    rooms,
    pacing: new Pacing(on.pool, rooms, settings.pacing),
    quota: new Quota(on.pool, on.streams, monthlyPostsOf(settings.limitsProfile)),
    messages: new ChannelMessages(on.pool, on.progress),
    pauses: new PauseAfterPublication(on.streams, settings.minuteMs),
    media: media.files,
    posts: new ProcessedPosts(on.streams, new KeptTranslations(on.streams, translation.translator, clock), rooms),
    clock,
    log,
  });
  const claims = new ChannelClaims(on.pool, on.leases);
  const saga = new PublishDuePosts({ ...on, claims, schedule, publish, rooms, clock, log });
  const publishing = saga.run({ stop: working.signal, breakOff: sending.signal });
  const noticing = new EventSaga(raiseNotices(on.streams), { ...on, log }).run(working.signal);
  const withdrawing = new EventSaga(withdrawInput(inputWithdrawalOf(settings, on), on.progress), { ...on, log }).run(
    working.signal,
  );
  return async () => {
    working.abort();
    const impatience = setTimeout(() => sending.abort(), SENDING_MS);
    await Promise.all([publishing, noticing, withdrawing]);
    clearTimeout(impatience);
    projecting.abort();
    await Promise.all(runners);
    await Promise.all(publishers.map((publisher) => publisher.close()));
    await Promise.all([media.close(), translation.close()]);
  };
};
