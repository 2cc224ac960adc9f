import { setTimeout as sleep } from 'node:timers/promises';
import { publication as decider } from '../../../src/domain/publication/publication.decider.js';
import type { PublicationEvent } from '../../../src/domain/publication/publication.events.js';
import type { EventStore } from '../../../src/event-store/port.js';
import { fold } from '../../../src/kernel/events.js';
import { publish } from '../../e2e/client.js';
import { ManagementClient } from '../../e2e/management-client.js';
import { until } from '../../e2e/until.js';
import { png } from '../../media/make-images.js';
import { mp3 } from '../../media/make-videos.js';
import { TestHost } from '../../media/test-host.js';
import { NETWORK_NAMES, type NetworkName } from '../../platforms/wire/networks.js';
import { type RelayedCall, startRelay } from '../../platforms/wire/relay.js';
import { POST_KINDS } from '../publish-due-posts/crash-cases.js';
import { inParallel } from '../publish-due-posts/crash-harness.js';
import { WorkerKiller } from '../publish-due-posts/kill-points.js';
import { PublishingHarness } from '../publish-due-posts/publishing-harness.js';
import { RequestKiller } from './request-killer.js';
import { buildStages, type Channel, type Stage } from './take-back-stages.js';
import { FAULTS, METHODS, type Story } from './take-back-stories.js';

interface Run extends Stage {
  readonly story: Story;
  /** Words of the post that stays. */
  readonly behind: string;
  readonly postId: string;
  readonly behindId: string;
  /** Number of messages on each wall before the story. */
  readonly seenBefore: readonly number[];
  /** What became of the request. */
  readonly request: { isAccepted: boolean; isAppended: boolean; isKilled: boolean; answeredAt: number };
  /** What became of the edit of the post that stays. */
  readonly edit: { isAccepted: boolean; isAppended: boolean; isKilled: boolean };
}

interface PublicationView {
  readonly id: string;
  readonly target_id: string;
  readonly state: string;
  readonly message_ids: readonly string[];
  readonly content_version: number | null;
  readonly edit: { readonly state: string; readonly error: { readonly code: string } | null } | null;
  readonly withdrawal: {
    readonly remaining: readonly string[];
    readonly error: { readonly code: string } | null;
  } | null;
}

const editedTextOf = (text: string): string => `${text} edited`;

const MARK = /ch(\d+)x/;
const VISIBLE = /\/(?:sendMessage|sendPhoto|sendAudio|sendMediaGroup|wall\.post|messages)(?:\?|$)/;
const ENDS: ReadonlySet<string> = new Set(['withdrawn', 'dismissed', 'withdraw_failed']);
const CAN_LOOK_UP: ReadonlySet<NetworkName> = new Set(['vk', 'max']);

/** Reads go on after a death, because they change nothing, and other sagas of the worker would wait for them. */
const readingFrom = (store: EventStore, mortal: EventStore): EventStore =>
  Object.defineProperty(mortal, 'readStream', { value: store.readStream.bind(store) });

const isVisible = ({ method, path, body }: RelayedCall): boolean =>
  method === 'POST' && (VISIBLE.test(path) || body.includes('mediatopic.post'));

/** Takes posts back while workers, and the processes that take the requests, are killed. */
export class TakeBackHarness {
  private readonly killer = new WorkerKiller();
  private readonly requests = new RequestKiller();
  private readonly idle: Stage[] = [];
  /** When calls that publish words reached the network, by the number of the channel. */
  private readonly sends = new Map<number, { readonly at: number; readonly body: string }[]>();
  private readonly urls: Record<string, string> = {};
  private mortalUrl = '';
  private stories = 0;
  /** Number of processes that were killed. */
  crashes = 0;
  /** How often a publication that was taken back ended in each state. */
  readonly ends: Record<string, number> = {};
  /** Number of published publications that show an edit, whose network refused it, and that were not edited. */
  readonly edits = { shown: 0, refused: 0, none: 0 };
  /** The ways in which publications that were taken back or edited have ended so far. */
  get kinds(): readonly string[] {
    const edits = Object.entries(this.edits).filter(([, count]) => count > 0);
    return [...Object.keys(this.ends), ...edits.map(([kind]) => kind)].sort();
  }

  private constructor(
    private readonly publishing: PublishingHarness,
    private readonly files: { readonly photo: string; readonly sound: string },
    readonly stop: () => Promise<void>,
  ) {}

  /** @param stages number of stories that happen side by side */
  static async start(stages: number): Promise<TakeBackHarness> {
    const host = await TestHost.start();
    const files = { photo: host.serve('/a.png', png(8, 8)), sound: host.serve('/a.mp3', mp3()) };
    const env = {
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
      MEDIA_PROBE: 'off',
      MINUTE_MS: '1000',
    };
    const publishing = await PublishingHarness.start(env);
    const harness = new TakeBackHarness(publishing, files, async () => {
      await publishing.stop();
      await Promise.all(relays.map((relay) => relay.stop()));
      await host.stop();
    });
    const relays = await Promise.all(
      NETWORK_NAMES.map((name) =>
        startRelay(publishing.networks[name].url, {
          ...harness.killer.bystander,
          asked: (call) => harness.passCall(call),
        }),
      ),
    );
    NETWORK_NAMES.forEach((name, i) => (harness.urls[name] = relays[i]!.url));
    harness.mortalUrl = await publishing.startApi({ wrapEventStore: harness.requests.wrapStore });
    harness.idle.push(...(await buildStages(publishing, harness.killer, stages)));
    return harness;
  }

  get pool() {
    return this.publishing.infrastructure.pool;
  }

  get infrastructure() {
    return this.publishing.infrastructure;
  }

  /** Lets stories happen side by side, and checks how they end. */
  async tell(stories: readonly Story[]): Promise<void> {
    const runs = await this.liveThrough(1, () => this.begin(stories));
    await this.liveThrough(2, () => Promise.resolve(runs), runs);
    this.killer.reset(new Map());
    const worker = await this.publishing.startWorker({ networkUrls: this.urls });
    await inParallel(runs, (run) => this.askAgain(run));
    await inParallel(runs, (run) => this.check(run));
    await worker.stop();
    // A fault that no call met must not meet the next story on the channel.
    await Promise.all(NETWORK_NAMES.map((name) => this.publishing.networks[name].control.clearFaults()));
    for (const { channels, path, token } of runs) this.idle.push({ channels, path, token });
    for (const { request, edit } of runs) this.crashes += Number(request.isKilled) + Number(edit.isKilled);
  }

  /** Runs a worker that is killed on the first channels, until nothing is left to do there. */
  private async liveThrough(n: 1 | 2, begin: () => Promise<Run[]>, known?: readonly Run[]): Promise<Run[]> {
    const kills = (known ?? []).map(({ channels, story }) => [channels[0].number, story.kills[n - 1] ?? null] as const);
    if (known) this.killer.reset(new Map(kills));
    const worker = await this.publishing.startWorker({
      networkUrls: this.urls,
      wrapEventStore: (store) => readingFrom(store, this.killer.wrapStore(store)),
    });
    const runs = await begin();
    await inParallel(runs, (run) => Promise.all([this.takeBack(run, n), this.edit(run, n)]));
    await until('all is over, or its worker is killed', async () => {
      const open = await this.listOpenChannels(runs);
      const left = runs.find(({ channels }) => !this.isDead(channels[0]) && channels.some(({ id }) => open.has(id)));
      if (left) throw new Error(JSON.stringify([left, await this.read(left.postId), await this.read(left.behindId)]));
      return true;
    });
    await worker.stop();
    for (const { channels } of runs) if (this.isDead(channels[0])) this.crashes += 1;
    return runs;
  }

  private isDead({ number }: Channel): boolean {
    return this.killer.findRun(number)?.isDead ?? false;
  }

  private async begin(stories: readonly Story[]): Promise<Run[]> {
    const stages = stories.map(() => this.idle.shift()!);
    this.killer.reset(new Map(stages.map(({ channels }, i) => [channels[0].number, stories[i]!.kills[0]])));
    return inParallel(stories, async (story, i): Promise<Run> => {
      const stage = stages[i]!;
      const { channels } = stage;
      const [first] = channels;
      const seenBefore = await Promise.all(channels.map(async (channel) => (await this.readWall(channel)).length));
      for (const { number } of channels) this.sends.set(number, []);
      if (story.isPaused) await this.publishing.manage.post(`/channels/${first.id}/pause`, { minutes: 1 });
      for (const step of ['publish', 'remove'] as const) {
        const name = story.faults[step];
        if (!name) continue;
        const { control } = this.publishing.networks[first.network];
        const method = METHODS[first.network][step];
        await control.addFault({ ...FAULTS[name](first.network), method, channel: first.chat });
      }
      if (story.edit?.fault) {
        const { control } = this.publishing.networks[first.network];
        const method = METHODS[first.network].edit;
        const fault = FAULTS[story.edit.fault](first.network);
        if (method !== null) await control.addFault({ ...fault, method, channel: first.chat });
      }
      const words = `wrong${++this.stories}`;
      const behind = `behind${this.stories}`;
      const postId = await this.send(stage, POST_KINDS[story.kind](words, this.files));
      const behindId = await this.send(stage, { text: behind });
      const request = { isAccepted: false, isAppended: false, isKilled: false, answeredAt: Infinity };
      const edit = { isAccepted: false, isAppended: false, isKilled: false };
      return { ...stage, story, behind, postId, behindId, seenBefore, request, edit };
    });
  }

  private async send(stage: Stage, payload: object): Promise<string> {
    const { status, body } = await publish(this.publishing.url, { ...stage, id: '', channels: [] }, payload);
    if (status !== 200) throw new Error(`${status} ${body}`);
    return (JSON.parse(body) as { id: string }).id;
  }

  /** Asks for the take-back, at the story's moment, of a process that may be killed. */
  private async takeBack(run: Run, during: 1 | 2): Promise<void> {
    const { story, channels, postId, request } = run;
    const { takeBack } = story;
    if (takeBack.during !== during) return;
    if (takeBack.when === 'soon') await sleep(takeBack.delayMs);
    if (takeBack.when === 'once it is over') await this.waitUntilOver(postId, channels[0]);
    const watched = this.requests.watch(postId, takeBack.kill);
    await this.ask(this.mortalUrl, run);
    request.isKilled = watched.isDead;
    request.isAppended ||= watched.trace.includes('PostWithdrawn');
  }

  /** Waits until a post is published or has failed, or until its worker is killed. */
  private waitUntilOver(postId: string, channel: Channel) {
    return until('it is over, or its worker is killed', async () => {
      if (this.isDead(channel)) return true;
      const found = await this.read(postId);
      return found.every(({ state }) => state !== 'queued' && state !== 'publishing');
    });
  }

  /** Edits the post that stays, through a process that may be killed. */
  private async edit({ story, channels, path, token, behind, behindId, edit }: Run, during: 1 | 2): Promise<void> {
    if (story.edit?.during !== during) return;
    if (story.edit.when === 'once it is over') await this.waitUntilOver(behindId, channels[0]);
    else await sleep(story.edit.delayMs);
    const watched = this.requests.watch(behindId, story.edit.kill);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ text: editedTextOf(behind) });
    // The gateway waits only two seconds for the read model.
    const answer = await until('the post is known', async () => {
      const sent = await fetch(`${this.mortalUrl}${path}/posts/${behindId}/content`, { method: 'PUT', headers, body });
      return sent.status !== 404 && sent;
    });
    edit.isAccepted = answer.status === 200;
    edit.isKilled = watched.isDead;
    edit.isAppended = watched.trace.includes('PostEdited');
    if (edit.isAccepted || edit.isKilled) return;
    const { code } = (await answer.json()) as { readonly code: string };
    // Where both channels are on a network without edits, an edit of what is published is refused as a whole.
    const isFair = code === 'not_editable' && channels.every(({ network }) => METHODS[network].edit === null);
    if (!isFair) throw new Error(`${answer.status} ${code}`);
  }

  private async askAgain(run: Run): Promise<void> {
    if (!run.story.isAskedAgain) return;
    await this.ask(this.publishing.url, run);
    if (!run.request.isAccepted) throw new Error('a take-back was refused');
  }

  private async ask(url: string, { story, channels, path, token, postId, request }: Run): Promise<void> {
    const { isPartial, by } = story.takeBack;
    const body = { reason: 'Wrong.', ...(isPartial && { targets: [channels[0].id] }) };
    let isAccepted: boolean;
    if (by === 'client') {
      const to = { path: `${path}/posts/${postId}/withdraw`, token, id: '', channels: [] };
      isAccepted = (await publish(url, to, body)).status === 200;
    } else {
      const asked = new ManagementClient(() => url).post(`/posts/${postId}/withdraw`, body);
      isAccepted = await asked.then(
        () => true,
        () => false,
      );
    }
    if (!isAccepted) return;
    request.isAccepted = true;
    request.answeredAt = Math.min(request.answeredAt, performance.now());
  }

  /** The laws of a take-back. */
  private async check(run: Run): Promise<void> {
    const { story, channels, postId, behindId, request } = run;
    const isAsked = request.isAccepted || request.isAppended;
    for (const [i, channel] of channels.entries()) {
      const isTakenBack = isAsked && (i === 0 || !story.takeBack.isPartial);
      const isOver = ({ state }: PublicationView) =>
        isTakenBack ? ENDS.has(state) : state !== 'queued' && state !== 'publishing';
      const found = await this.waitFor(postId, channel, isOver, run);
      const isSettled = ({ state, edit }: PublicationView) =>
        state !== 'queued' && state !== 'publishing' && (state !== 'published' || !edit || edit.state === 'failed');
      const stays = await this.waitFor(behindId, channel, isSettled, run);
      const where = JSON.stringify({ story, network: channel.network, i, request, found, stays });
      const visible = await this.readVisible(channel, run.seenBefore[i]!);
      const isBehind = ({ text }: { readonly text: string }) =>
        text === run.behind || text === editedTextOf(run.behind);
      const ofBehind = visible.filter(isBehind);
      const ofPost = visible.filter((message) => !isBehind(message)).map(({ message_id }) => message_id);

      // What was not taken back is published once, and stays.
      const mayDoubt = !CAN_LOOK_UP.has(channel.network);
      const fair = mayDoubt ? ['published', 'in_doubt'] : ['published'];
      expect({ where, fair: fair.includes(stays.state) }).toEqual({ where, fair: true });
      if (stays.state === 'published') expect({ where, count: ofBehind.length }).toEqual({ where, count: 1 });
      else expect({ where, once: ofBehind.length <= 1 }).toEqual({ where, once: true });
      if (stays.state === 'published') this.checkEdited(run, channel, stays, ofBehind, where);

      if (!isTakenBack) {
        expect({ where, fair: fair.includes(found.state) }).toEqual({ where, fair: true });
        if (found.state === 'published')
          expect({ where, ofPost: [...ofPost].sort() }).toEqual({ where, ofPost: [...found.message_ids].sort() });
        continue;
      }
      await this.checkTakenBack(run, channel, found, ofPost, where);
    }
  }

  /** Checks that readers see the newest content, or that the publication says why not. */
  private checkEdited(
    { edit, behind }: Run,
    { network }: Channel,
    { edit: open, content_version }: PublicationView,
    [message]: readonly { readonly text: string }[],
    where: string,
  ): void {
    const isEdited = edit.isAccepted || edit.isAppended;
    if (open) {
      expect({ where, code: open.error?.code }).toEqual({ where, code: 'edit_unsupported' });
      expect({ where, network }).toEqual({ where, network: 'ok' });
    }
    const isNew = isEdited && open === null;
    const shown = { where, version: content_version, text: message?.text };
    expect(shown).toEqual({ where, version: isNew ? 2 : 1, text: isNew ? editedTextOf(behind) : behind });
    this.edits[open ? 'refused' : isNew ? 'shown' : 'none'] += 1;
  }

  private async checkTakenBack(
    { story, behind, request }: Run,
    channel: Channel,
    found: PublicationView,
    visible: readonly string[],
    where: string,
  ): Promise<void> {
    this.ends[found.state] = (this.ends[found.state] ?? 0) + 1;
    if (found.state !== 'withdraw_failed') expect({ where, visible }).toEqual({ where, visible: [] });
    else {
      const { code = '' } = found.withdrawal?.error ?? {};
      const remaining = found.withdrawal?.remaining ?? [];
      const mayBeUnknown = code === 'outcome_unknown' && !CAN_LOOK_UP.has(channel.network);
      const mayBeRefused = code === 'no_right_to_delete' && story.faults.remove === 'refuses';
      expect({ where, fair: mayBeUnknown || mayBeRefused }).toEqual({ where, fair: true });
      // What is unknown is at most one call, here of two photos at most; anything else is named.
      const unnamed = visible.filter((id) => !remaining.includes(id));
      expect({ where, unnamed: unnamed.length <= (mayBeUnknown ? 2 : 0) }).toEqual({ where, unnamed: true });
    }
    const events = (await this.publishing.readEvents(`publication-${found.id}`)) as unknown as PublicationEvent[];
    const asked = events.findIndex(({ type }) => type === 'PublicationWithdrawalRequested');
    if (asked < 0) return; // it was planned or had ended without a message
    const { sending } = fold(decider, events.slice(0, asked));
    const starts = events
      .slice(asked)
      .filter((event) => 'sending' in event.data && typeof event.data.sending === 'string');
    expect({ where, starts }).toEqual({ where, starts: [] });
    const sent = this.sends
      .get(channel.number)!
      .filter(({ at, body }) => at > request.answeredAt && !body.includes(behind));
    // The call that was already named may still be on its way.
    expect({ where, sent: sent.length <= (sending === null ? 0 : 1) }).toEqual({ where, sent: true });
  }

  private waitFor(
    postId: string,
    channel: Channel,
    isOver: (publication: PublicationView) => boolean,
    { story, request }: Run,
  ): Promise<PublicationView> {
    return until(`the end of ${postId} on ${channel.network}`, async () => {
      const found = (await this.read(postId)).find(({ target_id }) => target_id === channel.id)!;
      if (!isOver(found)) throw new Error(JSON.stringify({ story, request, found }));
      return found;
    });
  }

  private async read(postId: string): Promise<readonly PublicationView[]> {
    const path = `/posts/${postId}`;
    return (await this.publishing.manage.get<{ publications: PublicationView[] }>(path)).publications;
  }

  private readWall({ network, chat }: Channel) {
    return this.publishing.networks[network].control.readLedger({ channel: chat });
  }

  private async readVisible(channel: Channel, after: number) {
    const { control } = this.publishing.networks[channel.network];
    const own = new Set((await this.readWall(channel)).slice(after).map(({ message_id }) => message_id));
    return (await control.readMessages({ channel: channel.chat })).filter(({ message_id }) => own.has(message_id));
  }

  /** Lists channels where something waits to be published or deleted. */
  private async listOpenChannels(runs: readonly Run[]): Promise<ReadonlySet<string>> {
    const { progress, store } = this.infrastructure;
    const head = await store.readHead();
    if (!(await progress.waitFor(['publish-schedule', 'posts'], head, 120_000)))
      throw new Error('the read models are behind');
    const { rows } = await this.pool.query<{ channel_id: string }>(
      `select channel_id from publish_schedule.publication
       where channel_id = any($1) and state in ('queued', 'publishing')
       union select channel_id from publish_schedule.change where channel_id = any($1)`,
      [runs.flatMap(({ channels }) => channels.map(({ id }) => id))],
    );
    return new Set(rows.map(({ channel_id }) => channel_id));
  }

  private async passCall(call: RelayedCall): Promise<boolean> {
    if (!(await this.killer.bystander.asked!(call))) return false;
    const body = call.body.toString('latin1', 0, 16_384);
    const mark = MARK.exec(`${call.path} ${call.headers.authorization ?? ''} ${body}`)?.[1];
    if (mark !== undefined && isVisible(call)) this.sends.get(Number(mark))?.push({ at: performance.now(), body });
    return true;
  }
}
