import type { PublicationStepCompleted } from '../../../src/domain/publication/publication.events.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { type Answer, publish } from '../../e2e/client.js';
import type { Receipt } from '../../e2e/manage.js';
import { until } from '../../e2e/until.js';
import { mp3 } from '../../media/make-films.js';
import { png } from '../../media/make-images.js';
import { TestHost } from '../../media/test-host.js';
import { NETWORK_NAMES, NETWORKS, type NetworkName } from '../../platforms/wire/networks.js';
import { startRelay } from '../../platforms/wire/relay.js';
import { type CrashCase, KINDS, nameOf, type Play, stepsOn, type Undisturbed } from './crash-cases.js';
import { type Cut, Lives, markOf } from './kill-points.js';
import { PublishingStage } from './publishing-harness.js';

/** A channel with credentials of its own, by which the calls about it are known. */
interface Channel {
  readonly id: string;
  readonly number: number;
  readonly network: NetworkName;
  readonly chat: string;
  /** Posts so far. */
  sent: number;
}

/** A post as it was sent and answered. */
interface Sent {
  readonly key: string;
  readonly payload: object;
  readonly answer: Answer;
}

/** One play on a channel: the post that is cut short, and one behind it. */
interface Played {
  readonly channel: Channel;
  readonly play: Play;
  readonly text: string;
  readonly posts: readonly [Sent, Sent];
  /** How much stood on the wall, and how many posts the channel had, before. */
  readonly seenBefore: number;
  readonly sentBefore: number;
}

const CONCURRENT = 24;

/** Everything that crashes are played in. */
export class CrashHouse {
  private readonly idle: Record<NetworkName, Channel[]> = { telegram: [], vk: [], max: [], ok: [] };
  private readonly lives = new Lives();
  private sent = 0;
  private endpoint: { readonly path: string; readonly token: string } = { path: '', token: '' };

  private constructor(
    private readonly stage: PublishingStage,
    private readonly urls: Readonly<Record<NetworkName, string>>,
    private readonly files: { readonly photo: string; readonly sound: string },
    readonly stop: () => Promise<void>,
  ) {}

  /** @param channels on each network */
  static async start(channels: number): Promise<CrashHouse> {
    const host = await TestHost.start();
    const files = { photo: host.serve('/a.png', png(8, 8)), sound: host.serve('/a.mp3', mp3()) };
    const stage = await PublishingStage.start({
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
      MEDIA_PROBE: 'off',
      // Pauses are over soon: an advertisement holds up the next post for this long.
      MINUTE_MS: '20',
    });
    const house: CrashHouse = new CrashHouse(stage, {} as never, files, async () => {
      await stage.stop();
      await Promise.all(relays.map((relay) => relay.stop()));
      await host.stop();
    });
    const relays = await Promise.all(
      NETWORK_NAMES.map((name) => startRelay(stage.networks[name].url, house.lives.bystander)),
    );
    NETWORK_NAMES.forEach((name, i) => Object.assign(house.urls, { [name]: relays[i]!.url }));
    await house.connect(channels);
    return house;
  }

  /** What each play comes to when nobody dies. */
  async undisturbed(plays: readonly Play[]): Promise<ReadonlyMap<string, Undisturbed>> {
    const played = await this.send(plays);
    this.lives.begin(new Map(played.map(({ channel }) => [channel.number, null])));
    const worker = await this.work();
    await this.over(played);
    await worker.stop();
    const found = await inParallel(played, async ({ channel, play, text, seenBefore }) => {
      const { trace } = this.lives.of(channel.number);
      const end = trace.indexOf('PublicationSucceeded') + 1;
      const steps = stepsOn((await this.wall(channel)).slice(seenBefore)).slice(0, -1);
      const shape = steps.map((step) => step.map((message) => message.replaceAll(text, '…')));
      return [nameOf(play), { points: trace.slice(0, end), steps: shape }] as const;
    });
    this.free(played);
    return new Map(found);
  }

  /**
   * Plays cases side by side: a worker dies on each channel where its case says, a second one where that dies again, and
   * a third goes on. Then the laws must hold.
   */
  async endure(cases: readonly CrashCase[], undisturbed: ReadonlyMap<string, Undisturbed>): Promise<void> {
    const played = await this.send(cases);
    await this.dieAt(
      played,
      cases.map(({ cut }) => cut),
      true,
    );
    if (cases.some(({ again }) => again !== null))
      await this.dieAt(
        played,
        cases.map(({ again }) => again),
        false,
      );
    this.lives.begin(new Map());
    const worker = await this.work();
    await this.over(played);
    // While the views are kept up to date: without a worker each look at them would wait for that in vain.
    await inParallel(played, (one, i) => this.check(one, cases[i]!, undisturbed.get(nameOf(one.play))!));
    await worker.stop();
    this.free(played);
  }

  /** Rows of the read models, as a rebuild must give them again (L4). */
  get pool() {
    return this.stage.on.pool;
  }

  get infrastructure() {
    return this.stage.on;
  }

  /** A worker whose lives end on the channels that have a cut. */
  private async dieAt(played: readonly Played[], cuts: readonly (Cut | null)[], surely: boolean): Promise<void> {
    this.lives.begin(new Map(played.map(({ channel }, i) => [channel.number, cuts[i] ?? null])));
    const worker = await this.work();
    await until('all have died or are over', async () => {
      const open = new Set(await this.open(played));
      const alive = played.filter(({ channel }) => open.has(channel.id) && !this.lives.of(channel.number).isOver);
      return alive.length === 0;
    });
    await worker.stop();
    if (!surely) return;
    const lives = played.map(({ channel, play }) => ({ play, ...this.lives.of(channel.number) }));
    expect(lives.filter(({ isOver }) => !isOver)).toEqual([]);
  }

  private work() {
    return this.stage.work({ urls: this.urls, store: this.lives.store });
  }

  /** Sends each play's post and one behind it. */
  private async send(plays: readonly Play[]): Promise<Played[]> {
    return inParallel(plays, async (play) => {
      const channel = this.idle[play.network].pop();
      if (!channel) throw new Error(`too few channels on ${play.network}`);
      const [seenBefore, sentBefore] = [(await this.wall(channel)).length, channel.sent];
      channel.sent += 2;
      const text = `post ${++this.sent} on ${channel.number}`;
      const first = await this.post(channel, KINDS[play.kind](text, this.files), `${text}, first`);
      const second = await this.post(channel, { text: `behind ${text}` }, `${text}, second`);
      return { channel, play, text, posts: [first, second], seenBefore, sentBefore };
    });
  }

  private async post({ id }: Channel, content: object, key: string): Promise<Sent> {
    const payload = { ...content, targets: [{ id }] };
    const answer = await this.publish(payload, key);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
    return { key, payload, answer };
  }

  private publish(payload: object, key: string): Promise<Answer> {
    return publish(this.stage.url, { ...this.endpoint, id: '', channels: [] }, payload, { 'idempotency-key': key });
  }

  /** Waits until every post is over. */
  private async over(played: readonly Played[]): Promise<void> {
    await until('all posts are over', async () => {
      const open = await this.open(played);
      if (open.length > 0) throw new Error(`${open.length} channels have posts that are not: ${open[0]}`);
      return true;
    });
    await this.level();
  }

  /** Waits until the read models show everything that has happened until now. */
  private async level(): Promise<void> {
    const { progress, store } = this.infrastructure;
    if (!(await progress.waitFor(['publish-schedule', 'posts'], await store.head()))) throw new Error('no views yet');
  }

  /** Channels on which something waits or is under way. */
  private async open(played: readonly Played[]): Promise<string[]> {
    await this.level();
    const ids = played.map(({ channel }) => channel.id);
    const { rows } = await this.pool.query<{ channel_id: string }>(
      `select distinct channel_id from publish_schedule.publication
       where channel_id = any($1) and state in ('queued', 'publishing')`,
      [ids],
    );
    return rows.map(({ channel_id }) => channel_id);
  }

  /** L1, L2, L3 and L5 (security.md) for one channel. */
  private async check(
    { channel, play, text, posts, seenBefore, sentBefore }: Played,
    crash: CrashCase,
    { steps }: Undisturbed,
  ): Promise<void> {
    const where = `${nameOf(play)}, cut ${JSON.stringify([crash.cut, crash.again])}, channel ${channel.number}`;
    const receipts = await until(`receipts: ${where}`, async () => {
      const found = await this.receipts(channel, sentBefore + 1);
      const isOver = found.length === 2 && found.every(({ state }) => state !== 'queued' && state !== 'publishing');
      if (!isOver) throw new Error(JSON.stringify({ sentBefore, found }));
      return found;
    });
    const wall = (await this.wall(channel)).slice(seenBefore);
    const shapes = [steps.map((step) => step.map((message) => message.replaceAll('…', text))), [[`|behind ${text}`]]];

    // L1: published or in doubt, nothing else; in doubt only where nobody can be asked (D-25).
    const fair = play.network === 'telegram' || play.network === 'ok' ? ['published', 'in_doubt'] : ['published'];
    const states = receipts.map(({ state }) => state);
    expect({ where, states, fair: states.every((state) => fair.includes(state)) }).toMatchObject({ where, fair: true });
    // A worker that dies leaves one send in doubt at most.
    const doubts = states.filter((state) => state === 'in_doubt').length;
    expect({ where, doubts: doubts <= (crash.again ? 2 : 1) }).toEqual({ where, doubts: true });

    // L2, L3: each step once, in order; of a publication in doubt what was done, and perhaps what was going.
    let shown = stepsOn(wall);
    const ids: string[][] = [];
    for (const [i, { state, publication_id }] of receipts.entries()) {
      const shape = shapes[i]!;
      const done = state === 'published' ? shape.length : await this.visibleStepsDone(publication_id);
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

    // D-37: the receipts name what readers see, numbered without gaps.
    expect(receipts.map(({ sequence }) => sequence)).toEqual([sentBefore + 1, sentBefore + 2]);
    for (const [i, { state, message_ids }] of receipts.entries()) {
      if (state === 'published') expect({ where, message_ids }).toEqual({ where, message_ids: ids[i] });
    }

    // L5: a replay is answered byte for byte the same.
    for (const { key, payload, answer } of posts) {
      const { status, body } = await this.publish(payload, key);
      expect({ where, status, body }).toEqual({ where, status: 202, body: answer.body });
    }
  }

  /** How many steps that readers see are surely done. */
  private async visibleStepsDone(publicationId: string): Promise<number> {
    const events = await this.stage.events(`publication-${publicationId}`);
    const done = events.filter(
      ({ type }) => type === 'PublicationStepCompleted',
    ) as RecordedEvent<PublicationStepCompleted>[];
    return done.filter(({ data }) => data.messageIds.length > 0).length;
  }

  private wall({ network, chat }: Channel) {
    return this.stage.networks[network].control.ledger({ channel: chat });
  }

  private async receipts({ id }: Channel, from: number): Promise<Receipt[]> {
    const path = `/channels/${id}/receipts?from=${from}&limit=200`;
    return (await this.stage.manage.get<{ items: Receipt[] }>(path)).items;
  }

  private free(played: readonly Played[]): void {
    for (const { channel } of played) this.idle[channel.network].push(channel);
  }

  /** Channels on each network, behind one endpoint. */
  private async connect(count: number): Promise<void> {
    const { manage } = this.stage;
    const worker = await this.stage.work();
    const { id: owner_id } = await manage.post<{ id: string }>('/owners', { name: 'Crashes', plan: 'business' });
    const wanted = NETWORK_NAMES.flatMap((network) => Array.from({ length: count }, () => network));
    const channels = await inParallel(wanted, async (network, i): Promise<Channel> => {
      const number = i + 1;
      const chat = `${network === 'telegram' ? '-100' : network === 'max' ? '-' : ''}${8_000_000 + number}`;
      const named = { owner_id, platform: network, name: `${network} ${number}` };
      const credentials = credentialsOf(network, chat, markOf(number));
      const { id } = await manage.post<{ id: string }>('/channels', { ...named, credentials });
      this.lives.know(id, number);
      return { id, number, network, chat, sent: 0 };
    });
    for (const channel of channels) this.idle[channel.network].push(channel);
    const project_ids = await inParallel(NETWORK_NAMES, async (network) => {
      const channel_ids = this.idle[network].map(({ id }) => id);
      return (await manage.post<{ id: string }>('/projects', { owner_id, name: network, channel_ids })).id;
    });
    const draft = { owner_id, project_ids, mode: 'live', min_interval: 0 };
    const { slug, token } = await manage.post<{ slug: string; token: string }>('/endpoints', draft);
    this.endpoint = { path: `/v1/webhooks/${slug}`, token };
    await worker.stop();
  }
}

/** Credentials that have the mark in them, as each network takes them. */
const credentialsOf = (network: NetworkName, chat: string, mark: string): Readonly<Record<string, string>> => {
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

const inParallel = async <T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> => {
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
