import { catalogue } from '../../src/domain/catalogue.js';
import type { OwnerContentErased } from '../../src/domain/owner/owner.events.js';
import {
  beginPost,
  decidePlannedPost,
  evolvePost,
  type PlannedPost,
  type PlannedPostCommand,
} from '../../src/domain/post/planned-post.js';
import { isPlanned, type PostAccepted } from '../../src/domain/post/post.events.js';
import { parsePaths, splitContent } from '../../src/event-store/content.js';
import { monthOf } from '../../src/event-store/content-keys.js';
import type { RecordedEvent } from '../../src/kernel/events.js';
import { isRejection } from '../../src/kernel/result.js';
import { samples } from '../domain/samples.js';
import type { Random } from '../e2e/random.js';

const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;
const START = 1_800_000_000_000;
const OWNERS = ['own_1', 'own_2'];
const CHANNELS = ['tgt_1', 'tgt_2', 'tgt_3'];
const PROJECTS = ['prj_1', 'prj_2', 'prj_3'];
const ENDPOINTS = ['ep_1', 'ep_2'];
const OUTPUTS = ['whk_1', 'whk_2'];
const KEYS = ['key_a', 'key_b'];
const FILES = ['med_1', 'med_2', 'med_3'];

interface AnyPublication {
  readonly ids: { readonly publicationId: string; readonly postId: string; readonly channelId: string };
  readonly ownerId: string;
  readonly projectId: string;
  readonly acceptedAt: number;
  state: 'queued' | 'publishing' | 'failed' | 'in_doubt';
  attempt: number;
  retryAt: number;
}

interface AnyDelivery {
  readonly deliveryId: string;
  readonly outputId: string;
  attempt: number;
  isPending: boolean;
}

/**
 * Random histories of everything that projections read, each with something that stays in every read model. Their data are the catalogue's samples with consistent ids,
 * times and states: for example, a publication starts when it is the first of its channel that no pause holds back.
 */
export class AnyHistory {
  private now = START;
  private readonly events: RecordedEvent[] = [];
  private readonly revisions = new Map<string, bigint>();
  private readonly ends = new Map<string, number>();
  private readonly publications = new Set<AnyPublication>();
  private readonly planned: PlannedPost[] = [];
  private readonly deliveries: AnyDelivery[] = [];
  private readonly deleted = new Set<string>();
  private readonly uploaded = new Set<string>();

  constructor(private readonly random: Random) {
    for (const [i, ownerId] of OWNERS.entries()) this.add('OwnerRegistered', { ownerId, keyHash: `key ${i}` });
    for (const [i, channelId] of CHANNELS.entries()) {
      const platform = ['telegram', 'vk'][i % 2];
      this.add('ChannelConnected', { channelId, ownerId: ownerOf(i), platform, credentialsId: `sec_${i}` });
    }
    for (const [i, projectId] of PROJECTS.entries())
      this.add('ProjectCreated', { projectId, ownerId: ownerOf(i), channelIds: [CHANNELS[i]] });
    for (const [i, endpointId] of ENDPOINTS.entries())
      this.add('EndpointCreated', { endpointId, ownerId: ownerOf(i), slug: `slug${i}`, tokenHash: `token ${i}` });
    for (const [i, outputId] of OUTPUTS.entries())
      this.add('WebhookOutputCreated', { outputId, ownerId: ownerOf(i), projectId: PROJECTS[i] });
    for (const [i, keyId] of KEYS.entries())
      this.add('KeyIssued', { keyId, ownerId: ownerOf(i), keyHash: `named key ${i}`, endpointIds: [ENDPOINTS[i]] });
    this.addWhatStays();
  }

  /** Adds what no later event ends, so that no read model is empty, however short the history is. */
  private addWhatStays(): void {
    const [ownerId, endpointId] = [OWNERS[0], ENDPOINTS[0]];
    this.add('MediaUploaded', { mediaId: 'med_0', ownerId, file: 'file 0', uploadedAt: START });
    this.add('RequestsLogged', { endpointId }, `log ${endpointId}`);
    this.add('DeliveryScheduled', { deliveryId: 'dlv_0', outputId: OUTPUTS[0], ownerId, at: START }, 'dlv_0');
    const targets = [{ publicationId: 'pub_0', channelId: CHANNELS[0], platform: 'telegram', projectId: PROJECTS[0] }];
    const plan = { publishAt: START + YEAR, requiresApproval: false, isReleased: false };
    const origin = { endpointId, ownerId, acceptedAt: START, traceId: null };
    this.add('PostAccepted', { ...origin, postId: 'post_0', targets, plan }, 'post_0');
  }

  /** Returns a history of about `length` events. */
  generate(length: number): readonly RecordedEvent[] {
    while (this.events.length < length) {
      this.now += this.choose([0, 0, 1, 1_000, MINUTE, 3 * MINUTE]);
      if (this.random.below(40) === 0) this.now += 12 * 24 * 60 * MINUTE;
      if (this.random.below(60) === 0) this.eraseMonths();
      const step = this.random.next();
      if (step < 0.25) this.acceptPost();
      else if (step < 0.32) this.changePlanned();
      else if (step < 0.62) this.advancePublication();
      else if (step < 0.71) this.changePause();
      else if (step < 0.82) this.advanceDelivery();
      else if (step < 0.86) this.changeChannel();
      else if (step < 0.9) this.changeFile();
      else this.changeOther();
    }
    return this.events;
  }

  /** Erases months that are over: the oldest, or some of them. */
  private eraseMonths(): void {
    const months: string[] = [];
    for (let at = START; monthOf(at) < monthOf(this.now); at += 27 * 24 * 60 * MINUTE)
      if (!months.includes(monthOf(at)) && this.random.below(3) > 0) months.push(monthOf(at));
    if (months.length > 0) this.add('OwnerContentErased', { ownerId: this.choose(OWNERS), months });
  }

  private acceptPost(): void {
    const [n, owner] = [this.events.length, this.random.below(2)];
    const [postId, ownerId] = [`post_${n}`, OWNERS[owner]!];
    const targets = CHANNELS.filter(
      (id, i) => !this.deleted.has(id) && (i === n % 3 || this.random.below(3) === 0),
    ).map((channelId) => {
      const i = CHANNELS.indexOf(channelId);
      return {
        publicationId: `pub_${n}_${i}`,
        channelId,
        platform: ['telegram', 'vk'][i % 2]!,
        projectId: PROJECTS[i]!,
      };
    });
    const origin = {
      endpointId: ENDPOINTS[owner],
      ownerId,
      acceptedAt: this.now,
      traceId: this.choose([null, 'trace']),
    };
    if (targets.length === 0) return this.add('PostSkipped', origin, postId);
    const requiresApproval = this.random.below(3) === 0;
    const plan = { publishAt: this.choose([null, this.now + 2 * MINUTE]), requiresApproval, isReleased: false };
    const isLater = (requiresApproval || plan.publishAt !== null) && this.random.below(2) === 0;
    this.add('PostAccepted', { ...origin, postId, targets, ...(isLater && { plan }) }, postId);
    const accepted = this.events.at(-1)!.data as PostAccepted['data'];
    const request = { postId, endpointId: origin.endpointId, ownerId, at: this.now, publishAt: plan.publishAt };
    if (isLater && requiresApproval) this.add('PostApprovalRequested', request, postId);
    if (isPlanned(accepted)) return void this.planned.push(beginPost(accepted, 0));
    this.queue(postId, ownerId, targets);
  }

  private queue(
    postId: string,
    ownerId: string,
    targets: readonly { readonly publicationId: string; readonly channelId: string; readonly projectId: string }[],
  ): void {
    for (const { publicationId, channelId, projectId } of targets)
      this.publications.add({
        ids: { publicationId, postId, channelId },
        ownerId,
        projectId,
        acceptedAt: this.now,
        state: 'queued',
        attempt: 0,
        retryAt: 0,
      });
  }

  /** Changes, releases or ends a planned post, as its decider says. */
  private changePlanned(): void {
    const i = this.random.below(this.planned.length + 1);
    const post = this.planned[i];
    if (!post) return;
    const [at, note, ifRevision] = [this.now, null, null];
    const author = { isManager: this.random.below(2) === 0, requiresApproval: this.random.below(2) === 0 };
    const publishAt = this.choose([null, at + MINUTE, at + 3 * MINUTE]);
    const publicationIds = this.choose([null, post.targets.slice(0, 1).map(({ publicationId }) => publicationId)]);
    const [channel] = post.targets.map(({ channelId }) => CHANNELS.indexOf(channelId));
    const n = this.events.length;
    const targets = [channel!, (channel! + 1) % CHANNELS.length].map((c) => ({
      publicationId: `pub_${n}_${c}`,
      channelId: CHANNELS[c]!,
      platform: ['telegram', 'vk'][c % 2]!,
      projectId: PROJECTS[c]!,
    }));
    const content = { traceId: null, payload: { text: 'new' }, parts: null, targets, publishAt };
    const commands = [
      ...([{ type: 'ReleasePost', at }] as const),
      ...([{ type: 'ReleasePost', at }] as const),
      ...([{ type: 'ReschedulePost', at, publishAt, author, ifRevision }] as const),
      ...([{ type: 'RevisePost', at, content, author, ifRevision }] as const),
      ...([{ type: 'CancelPlanned', at, publicationIds, ifRevision }] as const),
      ...([{ type: 'ApprovePost', at, note, ifRevision: [post.revision] }] as const),
      ...([{ type: 'RejectPost', at, reason: 'no' }] as const),
    ];
    const next = Number((this.revisions.get(`any-${post.postId}`) ?? -1n) + 1n);
    const events = decidePlannedPost(this.choose<PlannedPostCommand>(commands), post, next);
    if (isRejection(events)) return;
    let state = post;
    for (const [k, event] of events.entries()) {
      state = evolvePost(state, event, next + k);
      this.add(event.type, event.data, post.postId);
      if (event.type === 'PostReleased') this.queue(post.postId, post.ownerId, state.targets);
    }
    if (state.status === 'planned') this.planned[i] = state;
    else this.planned.splice(i, 1);
  }

  private advancePublication(): void {
    const channelId = this.choose(CHANNELS);
    const ofChannel = [...this.publications].filter(({ ids }) => ids.channelId === channelId);
    const publication =
      this.random.below(4) === 0
        ? ofChannel.find(({ state }) => state === 'failed' || state === 'in_doubt')
        : ofChannel.find(({ state }) => state === 'queued' || state === 'publishing');
    if (!publication) return;
    const { ids, state } = publication;
    const end = (type: string, data: object = {}): void => {
      this.publications.delete(publication);
      this.add(type, { ...ids, at: this.now, ...data }, ids.postId);
    };
    const go = (type: string, next: AnyPublication['state'], data: object = {}): void => {
      publication.state = next;
      this.add(type, { ...ids, at: this.now, attempt: publication.attempt, ...data }, ids.postId);
    };
    if (state === 'failed' || state === 'in_doubt') {
      publication.retryAt = 0;
      return this.random.below(2) === 0 ? go('PublicationResent', 'queued') : end('PublicationDismissed');
    }
    if (state === 'queued') {
      const pauses = [channelId, publication.projectId].map((id) => this.ends.get(id) ?? 0);
      if (Math.max(...pauses, publication.retryAt) > this.now) return;
      if (publication.attempt === 0 && this.random.below(8) === 0) return end('PublicationFiltered');
      if (publication.attempt === 0 && this.random.below(8) === 0) {
        publication.retryAt = this.now + 10 * MINUTE;
        const { ownerId } = publication;
        return go('PublicationHeld', 'queued', { ownerId, until: publication.retryAt, ownerRevision: 1_000 });
      }
      publication.attempt++;
      return go('PublicationStarted', 'publishing');
    }
    const outcome = this.random.below(8);
    if (outcome === 0) return go('PublicationFailed', 'failed');
    if (outcome === 1) return go('PublicationInDoubt', 'in_doubt');
    if (outcome === 2) return go('PublicationStepCompleted', 'publishing');
    if (outcome > 3) return end('PublicationSucceeded', { attempt: publication.attempt });
    publication.retryAt = this.now + this.choose([1_000, MINUTE, 5 * MINUTE]);
    go('PublicationPostponed', 'queued', {
      retryAt: publication.retryAt,
      rule: this.choose(['retry', 'platform_limit']),
    });
  }

  private changePause(): void {
    const id = this.choose([...CHANNELS, ...PROJECTS]);
    const [kind, of] = id.startsWith('prj') ? ['Project', { projectId: id }] : ['Channel', { channelId: id }];
    const end = this.ends.get(id) ?? 0;
    if (end > this.now && this.random.below(2) === 0) {
      this.ends.set(id, 0);
      return this.add(`${kind}Resumed`, { ...of, at: this.now }, `pause ${id}`);
    }
    const until = this.now + this.choose([1, 3, 20]) * MINUTE;
    if (until <= end) return;
    this.ends.set(id, until);
    this.add(`${kind}Paused`, { ...of, until }, `pause ${id}`);
  }

  private advanceDelivery(): void {
    const n = this.events.length;
    const ids = { deliveryId: `dlv_${n}`, outputId: this.choose(OUTPUTS) };
    if (this.deleted.has(ids.outputId)) return;
    const known = this.choose([...this.deliveries.slice(-6), null]);
    if (!known || this.deleted.has(known.outputId)) {
      this.deliveries.push({ ...ids, attempt: 0, isPending: true });
      const ownerId = ownerOf(OUTPUTS.indexOf(ids.outputId));
      return this.add('DeliveryScheduled', { ...ids, ownerId, at: this.now }, ids.deliveryId);
    }
    const { deliveryId, outputId } = known;
    const data = { deliveryId, outputId, at: this.now };
    if (!known.isPending) {
      known.isPending = true;
      return this.add('DeliveryRetryRequested', data, deliveryId);
    }
    known.attempt++;
    if (this.random.below(2) === 0) {
      known.isPending = false;
      return this.add('DeliverySucceeded', { ...data, attempt: known.attempt }, deliveryId);
    }
    const isFinal = this.random.below(5) === 0;
    known.isPending = !isFinal;
    const retryAt = isFinal ? null : this.now + this.choose([1_000, 5 * MINUTE]);
    const isServerDown = this.random.below(2) === 0;
    this.add('DeliveryAttemptFailed', { ...data, attempt: known.attempt, retryAt, isServerDown }, deliveryId);
  }

  private changeChannel(): void {
    const channelId = this.choose(CHANNELS);
    if (this.deleted.has(channelId)) return;
    const type = this.choose(['ChannelNeedsAttention', 'ChannelAttentionCleared', 'ChannelEnabled', 'ChannelDisabled']);
    this.add(
      type,
      { channelId, ...(type === 'ChannelNeedsAttention' && { until: this.now + 10 * MINUTE }) },
      channelId,
    );
  }

  /** Uploads a file, or else renews, links or deletes it; a deleted one may be uploaded again. */
  private changeFile(): void {
    const mediaId = this.choose(FILES);
    const ids = { mediaId, ownerId: ownerOf(FILES.indexOf(mediaId)) };
    const file = `file ${this.events.length}`;
    if (!this.uploaded.has(mediaId)) {
      this.uploaded.add(mediaId);
      const bytes = this.random.below(1_000_000);
      return this.add('MediaUploaded', { ...ids, bytes, file, uploadedAt: this.now }, mediaId);
    }
    const [type, data] = this.choose<readonly [string, object]>([
      ['MediaRenewed', { renewedAt: this.now, file: this.choose([undefined, file]) }],
      ['MediaLinked', { linkedAt: this.now }],
      ['MediaDeleted', {}],
    ]);
    if (type === 'MediaDeleted') this.uploaded.delete(mediaId);
    this.add(type, { ...ids, ...data }, mediaId);
  }

  private changeOther(): void {
    const [ownerId, endpointId, outputId] = [this.choose(OWNERS), this.choose(ENDPOINTS), this.choose(OUTPUTS)];
    const [channelId, projectId, keyId] = [this.choose(CHANNELS), this.choose(PROJECTS), this.choose(KEYS)];
    const [type, ids, id] = this.choose<readonly [string, object, string]>([
      ['OwnerPlanChanged', { ownerId }, ownerId],
      ['PostPackAdded', { ownerId }, ownerId],
      ['OwnerRenamed', { ownerId }, ownerId],
      ['ChannelRenamed', { channelId }, channelId],
      ['ProjectChannelsChanged', { projectId }, projectId],
      ['EndpointChanged', { endpointId }, endpointId],
      ['EndpointDisabled', { endpointId }, endpointId],
      ['EndpointEnabled', { endpointId }, endpointId],
      ['RequestsLogged', { endpointId }, `log ${endpointId}`],
      ['RequestsLogged', { endpointId }, `log ${endpointId}`],
      ['TranslationStored', { postId: `post_${this.events.length}` }, `translation_${this.events.length}`],
      ['WebhookOutputChanged', { outputId }, outputId],
      ['WebhookOutputDisabled', { outputId }, outputId],
      ['WebhookOutputEnabled', { outputId }, outputId],
      ['KeyChanged', { keyId }, keyId],
      ['KeyRotated', { keyId, keyHash: `named key ${this.events.length}` }, keyId],
      ...(this.random.below(8) === 0 ? ([['KeyRevoked', { keyId }, keyId]] as const) : []),
      ...(this.random.below(8) === 0 ? ([['WebhookOutputDeleted', { outputId: 'whk_2' }, 'whk_2']] as const) : []),
      ...(this.random.below(8) === 0 ? ([['ChannelDeleted', { channelId }, channelId]] as const) : []),
    ]);
    if (this.deleted.has(id)) return;
    if (/Deleted$|Revoked$/.test(type)) this.deleted.add(id);
    this.add(type, ids, id);
  }

  /** Adds an event with the sample's data, except for the members in `data`. */
  private add(type: string, data: object, key = Object.values(data)[0] as string): void {
    const position = BigInt(this.events.length);
    const stream = `any-${key}`;
    const revision = (this.revisions.get(stream) ?? -1n) + 1n;
    this.revisions.set(stream, revision);
    const id = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`;
    const story = { requestId: `req_${key}`, causationId: `req_${key}`, correlationId: `req_${key}` };
    this.events.push({
      type,
      id,
      stream,
      revision,
      position,
      version: 1,
      at: this.now,
      actor: 'operator',
      ...story,
      clientAddress: null,
      hash: id,
      data: { ...(samples[type]!.at(-1) as object), ...data },
    });
  }

  private choose<T>(values: readonly T[]): T {
    return values[this.random.below(values.length)]!;
  }
}

const ownerOf = (i: number): string => OWNERS[i % OWNERS.length]!;

const RESOURCES = { endpointId: ENDPOINTS, outputId: OUTPUTS, channelId: CHANNELS, projectId: PROJECTS, keyId: KEYS };

/** Returns the history as it is read after its erasures: what they erased is null. */
export const withoutErased = (events: readonly RecordedEvent[]): readonly RecordedEvent[] => {
  const ofPosts = new Map<unknown, string>();
  const erasures = events.filter(({ type }) => type === 'OwnerContentErased') as RecordedEvent<OwnerContentErased>[];
  return events.map((event) => {
    const data = event.data as Readonly<Record<string, unknown>>;
    const named = Object.entries(RESOURCES).find(([member]) => data[member] !== undefined);
    const ofResource = named && ownerOf((named[1] as readonly unknown[]).indexOf(data[named[0]]));
    const ownerId = (data.ownerId as string | undefined) ?? ofPosts.get(data.postId) ?? ofResource;
    if (event.type === 'PostAccepted') ofPosts.set(data.postId, ownerId!);
    const isErased = erasures.some(
      ({ data: { ownerId: of, months }, position }) =>
        of === ownerId && (months === null || (position > event.position && months.includes(monthOf(event.at)))),
    );
    const { content } = catalogue[event.type]!;
    if (!isErased || !content) return event;
    return { ...event, contentErased: true as const, data: splitContent(event.data, parsePaths(content)).rest };
  });
};
