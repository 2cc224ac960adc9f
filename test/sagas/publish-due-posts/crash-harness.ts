import type { PublicationStepCompleted } from '../../../src/domain/publication/publication.events.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { type Answer, publish } from '../../e2e/client.js';
import type { Receipt } from '../../e2e/management-client.js';
import { until } from '../../e2e/until.js';
import { png } from '../../media/make-images.js';
import { mp3 } from '../../media/make-videos.js';
import { TestHost } from '../../media/test-host.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from '../../platforms/wire/networks.js';
import { startRelay } from '../../platforms/wire/relay.js';
import {
  type CrashCase,
  groupIntoSteps,
  POST_KINDS,
  type ReferenceRun,
  type Scenario,
  scenarioName,
} from './crash-cases.js';
import { credentialMark, type KillPoint, WorkerKiller } from './kill-points.js';
import { PublishingHarness } from './publishing-harness.js';

/** A channel with its own credentials, which identify its calls. */
interface Channel {
  readonly id: string;
  readonly number: number;
  readonly network: NetworkName;
  readonly chat: string;
  /** Number of posts so far. */
  postCount: number;
}

/** A post with the API's answer. */
interface Sent {
  readonly key: string;
  readonly payload: object;
  readonly answer: Answer;
}

/** One scenario on a channel: the post whose worker is killed, and a second one behind it. */
interface ScenarioRun {
  readonly channel: Channel;
  readonly scenario: Scenario;
  readonly text: string;
  readonly posts: readonly [Sent, Sent];
  /** Number of messages on the wall, and of the channel's posts, before the scenario. */
  readonly seenBefore: number;
  readonly sentBefore: number;
}

const CONCURRENT = 24;

/** Runs scenarios with workers that are killed. */
export class CrashHarness {
  private readonly idle: Record<NetworkName, Channel[]> = { telegram: [], vk: [], max: [], ok: [] };
  private readonly killer = new WorkerKiller();
  private sent = 0;
  private endpoint: { readonly path: string; readonly token: string } = { path: '', token: '' };

  private constructor(
    private readonly publishing: PublishingHarness,
    private readonly urls: Readonly<Record<NetworkName, string>>,
    private readonly files: { readonly photo: string; readonly sound: string },
    readonly stop: () => Promise<void>,
  ) {}

  /** @param channels on each network */
  static async start(channels: number): Promise<CrashHarness> {
    const host = await TestHost.start();
    const files = { photo: host.serve('/a.png', png(8, 8)), sound: host.serve('/a.mp3', mp3()) };
    const publishing = await PublishingHarness.start({
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
      MEDIA_PROBE: 'off',
      // Pauses end soon: an advertisement holds up the next post for this long.
      MINUTE_MS: '20',
      STATISTICS_DAYS: '0', // reading numbers would be more calls than the reference run's
    });
    const harness: CrashHarness = new CrashHarness(publishing, {} as never, files, async () => {
      await publishing.stop();
      await Promise.all(relays.map((relay) => relay.stop()));
      await host.stop();
    });
    const relays = await Promise.all(
      NETWORK_NAMES.map((name) => startRelay(publishing.networks[name].url, harness.killer.bystander)),
    );
    NETWORK_NAMES.forEach((name, i) => Object.assign(harness.urls, { [name]: relays[i]!.url }));
    await harness.createChannels(channels);
    return harness;
  }

  /** Runs each scenario without a crash. */
  async recordReferenceRuns(scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, ReferenceRun>> {
    const runs = await this.send(scenarios);
    this.killer.reset(new Map(runs.map(({ channel }) => [channel.number, null])));
    const worker = await this.startWorker();
    await this.waitUntilOver(runs);
    await worker.stop();
    const found = await inParallel(runs, async ({ channel, scenario, text, seenBefore }) => {
      const { trace } = this.killer.findRun(channel.number);
      const end = trace.indexOf('PublicationSucceeded') + 1;
      const steps = groupIntoSteps((await this.wall(channel)).slice(seenBefore)).slice(0, -1);
      const shape = steps.map((step) => step.map((message) => message.replaceAll(text, '…')));
      return [scenarioName(scenario), { points: trace.slice(0, end), steps: shape }] as const;
    });
    this.releaseChannels(runs);
    return new Map(found);
  }

  /**
   * Runs cases side by side: a worker is killed on each channel at the case's kill point, a second one at its second
   * kill point, and a third continues. Then the laws must hold.
   */
  async runCases(cases: readonly CrashCase[], referenceRuns: ReadonlyMap<string, ReferenceRun>): Promise<void> {
    const runs = await this.send(cases);
    await this.runUntilKilled(
      runs,
      cases.map(({ kill }) => kill),
      true,
    );
    if (cases.some(({ secondKill }) => secondKill !== null))
      await this.runUntilKilled(
        runs,
        cases.map(({ secondKill }) => secondKill),
        false,
      );
    this.killer.reset(new Map());
    const worker = await this.startWorker();
    await this.waitUntilOver(runs);
    // Checked before the worker stops, because without a worker the read models do not advance, and each read waits.
    await inParallel(runs, (one, i) => this.check(one, cases[i]!, referenceRuns.get(scenarioName(one.scenario))!));
    await worker.stop();
    this.releaseChannels(runs);
  }

  /** Connections to the database of the read models. */
  get pool() {
    return this.publishing.infrastructure.pool;
  }

  get infrastructure() {
    return this.publishing.infrastructure;
  }

  /**
   * Runs a worker that is killed on the channels that have a kill point. @param mustDie true if it must die on all of
   * them
   */
  private async runUntilKilled(
    runs: readonly ScenarioRun[],
    kills: readonly (KillPoint | null)[],
    mustDie: boolean,
  ): Promise<void> {
    this.killer.reset(new Map(runs.map(({ channel }, i) => [channel.number, kills[i] ?? null])));
    const worker = await this.startWorker();
    await until('all workers are killed or all posts are over', async () => {
      const open = new Set(await this.listOpenChannels(runs));
      const alive = runs.filter(({ channel }) => open.has(channel.id) && !this.killer.findRun(channel.number).isDead);
      return alive.length === 0;
    });
    await worker.stop();
    if (!mustDie) return;
    const workerRuns = runs.map(({ channel, scenario }) => ({ scenario, ...this.killer.findRun(channel.number) }));
    expect(workerRuns.filter(({ isDead }) => !isDead)).toEqual([]);
  }

  private startWorker() {
    return this.publishing.startWorker({ networkUrls: this.urls, wrapEventStore: this.killer.wrapStore });
  }

  /** Publishes each scenario's post and a second one behind it. */
  private async send(scenarios: readonly Scenario[]): Promise<ScenarioRun[]> {
    return inParallel(scenarios, async (scenario) => {
      const channel = this.idle[scenario.network].pop();
      if (!channel) throw new Error(`too few channels on ${scenario.network}`);
      const [seenBefore, sentBefore] = [(await this.wall(channel)).length, channel.postCount];
      channel.postCount += 2;
      const text = `post ${++this.sent} on ${channel.number}`;
      const first = await this.post(channel, POST_KINDS[scenario.kind](text, this.files), `${text}, first`);
      const second = await this.post(channel, { text: `behind ${text}` }, `${text}, second`);
      return { channel, scenario, text, posts: [first, second], seenBefore, sentBefore };
    });
  }

  private async post({ id }: Channel, content: object, key: string): Promise<Sent> {
    const payload = { ...content, targets: [{ id }] };
    const answer = await this.publish(payload, key);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
    return { key, payload, answer };
  }

  private publish(payload: object, key: string): Promise<Answer> {
    return publish(this.publishing.url, { ...this.endpoint, id: '', channels: [] }, payload, {
      'idempotency-key': key,
    });
  }

  /** Waits until every post has ended. */
  private async waitUntilOver(runs: readonly ScenarioRun[]): Promise<void> {
    await until('all posts are over', async () => {
      const open = await this.listOpenChannels(runs);
      if (open.length > 0) throw new Error(`${open.length} channels have open posts, among them ${open[0]}`);
      return true;
    });
    await this.waitForReadModels();
  }

  /** Waits until the read models show all events up to now. */
  private async waitForReadModels(): Promise<void> {
    const { progress, store } = this.infrastructure;
    if (!(await progress.waitFor(['publish-schedule', 'posts'], await store.readHead(), 120_000)))
      throw new Error('the read models are behind');
  }

  /** Lists channels with publications that are queued or under way. */
  private async listOpenChannels(runs: readonly ScenarioRun[]): Promise<string[]> {
    await this.waitForReadModels();
    const ids = runs.map(({ channel }) => channel.id);
    const { rows } = await this.pool.query<{ channel_id: string }>(
      `select distinct channel_id from publish_schedule.publication
       where channel_id = any($1) and state in ('queued', 'publishing')`,
      [ids],
    );
    return rows.map(({ channel_id }) => channel_id);
  }

  /** Checks L1, L2, L3 and L5 (security.md) for one channel. */
  private async check(
    { channel, scenario, text, posts, seenBefore, sentBefore }: ScenarioRun,
    crash: CrashCase,
    { steps }: ReferenceRun,
  ): Promise<void> {
    const where = `${scenarioName(scenario)}, killed at ${JSON.stringify([crash.kill, crash.secondKill])}, channel ${channel.number}`;
    const receipts = await until(`receipts: ${where}`, async () => {
      const found = await this.receipts(channel, sentBefore + 1);
      const isOver = found.length === 2 && found.every(({ state }) => state !== 'queued' && state !== 'publishing');
      if (!isOver) throw new Error(JSON.stringify({ sentBefore, found }));
      return found;
    });
    const wall = (await this.wall(channel)).slice(seenBefore);
    const shapes = [steps.map((step) => step.map((message) => message.replaceAll('…', text))), [[`|behind ${text}`]]];

    // L1: published or in doubt, nothing else; in doubt only where the network has no look-up (D-25).
    const fair =
      scenario.network === 'telegram' || scenario.network === 'ok' ? ['published', 'in_doubt'] : ['published'];
    const states = receipts.map(({ state }) => state);
    expect({ where, states, fair: states.every((state) => fair.includes(state)) }).toMatchObject({ where, fair: true });
    // A killed worker leaves at most one send in doubt.
    const doubts = states.filter((state) => state === 'in_doubt').length;
    expect({ where, doubts: doubts <= (crash.secondKill ? 2 : 1) }).toEqual({ where, doubts: true });

    // L2, L3: each step once, in order. A publication in doubt shows its completed steps, and perhaps the one under way.
    let shown = groupIntoSteps(wall);
    const ids: string[][] = [];
    for (const [i, { state, publication_id }] of receipts.entries()) {
      const shape = shapes[i]!;
      const done = state === 'published' ? shape.length : await this.countVisibleStepsDone(publication_id);
      const isThere = (count: number) =>
        JSON.stringify(shown.slice(0, count)) === JSON.stringify(shape.slice(0, count));
      const count = state === 'in_doubt' && done < shape.length && isThere(done + 1) ? done + 1 : done;
      expect({ where, shown: shown.slice(0, count) }).toEqual({ where, shown: shape.slice(0, count) });
      ids.push(
        wall
          .slice(wall.length - shown.flat().length)
          .slice(0, shape.flat().length)
          .map((one) => one.message_id),
      );
      shown = shown.slice(count);
    }
    expect({ where, more: shown }).toEqual({ where, more: [] });

    // D-37: the receipts name the messages that readers see, numbered without gaps.
    expect(receipts.map(({ sequence }) => sequence)).toEqual([sentBefore + 1, sentBefore + 2]);
    for (const [i, { state, message_ids }] of receipts.entries()) {
      if (state === 'published') expect({ where, message_ids }).toEqual({ where, message_ids: ids[i] });
    }

    // L5: the answer to a replay is byte-equal.
    for (const { key, payload, answer } of posts) {
      const { status, body } = await this.publish(payload, key);
      expect({ where, status, body }).toEqual({ where, status: 202, body: answer.body });
    }
  }

  /** Counts the visible steps whose completion is recorded. */
  private async countVisibleStepsDone(publicationId: string): Promise<number> {
    const events = await this.publishing.readEvents(`publication-${publicationId}`);
    const done = events.filter(
      ({ type }) => type === 'PublicationStepCompleted',
    ) as RecordedEvent<PublicationStepCompleted>[];
    return done.filter(({ data }) => data.messageIds.length > 0).length;
  }

  private wall({ network, chat }: Channel) {
    return this.publishing.networks[network].control.readLedger({ channel: chat });
  }

  private async receipts({ id }: Channel, from: number): Promise<Receipt[]> {
    const path = `/channels/${id}/receipts?from=${from}&limit=200`;
    return (await this.publishing.manage.get<{ items: Receipt[] }>(path)).items;
  }

  private releaseChannels(runs: readonly ScenarioRun[]): void {
    for (const { channel } of runs) this.idle[channel.network].push(channel);
  }

  /** Creates channels on each network, behind one endpoint. */
  private async createChannels(count: number): Promise<void> {
    const { manage } = this.publishing;
    const worker = await this.publishing.startWorker();
    const { id: owner_id } = await manage.post<{ id: string }>('/owners', { name: 'Crashes', plan: 'business' });
    const wanted = NETWORK_NAMES.flatMap((network) => Array.from({ length: count }, () => network));
    const channels = await inParallel(wanted, async (network, i): Promise<Channel> => {
      const number = i + 1;
      const chat = `${network === 'telegram' ? '-100' : network === 'max' ? '-' : ''}${8_000_000 + number}`;
      const named = { owner_id, platform: network, name: `${network} ${number}` };
      const credentials = credentialsOf(network, chat, credentialMark(number));
      const { id } = await manage.post<{ id: string }>('/channels', { ...named, credentials });
      this.killer.registerChannel(id, number);
      return { id, number, network, chat, postCount: 0 };
    });
    for (const channel of channels) this.idle[channel.network].push(channel);
    const project_ids = await inParallel(NETWORK_NAMES, async (network) => {
      const channel_ids = this.idle[network].map(({ id }) => id);
      return (await manage.post<{ id: string }>('/projects', { owner_id, name: network, channel_ids })).id;
    });
    const body = { owner_id, project_ids, mode: 'live', min_interval: 0 };
    const { slug, token } = await manage.post<{ slug: string; token: string }>('/endpoints', body);
    this.endpoint = { path: `/v1/webhooks/${slug}`, token };
    await worker.stop();
  }
}

/** Returns valid credentials of a network that contain the mark. */
export const credentialsOf = (network: NetworkName, chat: string, mark: string): Readonly<Record<string, string>> => {
  switch (network) {
    case 'telegram':
      return { bot_token: `1000:${'t'.repeat(30)}${mark}`, chat_id: chat };
    case 'vk':
      return { access_token: `vk1.a.community-${mark}`, upload_token: `vk1.a.user-${mark}`, group_id: chat };
    case 'max':
      return { access_token: `max-${mark}`, chat_id: chat };
    case 'ok':
      return { ...NETWORKS.ok.credentials, access_token: `-s-${mark}`, group_id: chat };
  }
};

/** Does the work for all items, a few at a time. */
export const inParallel = async <T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, lane));
  return results;
};
