import { Inject, Injectable } from '@nestjs/common';
import { PauseAfterPublication } from '../../commands/pause.js';
import { recordPublicationProgress } from '../../commands/publication.js';
import { publication as decider } from '../../domain/publication/publication.decider.js';
import type { RecoveryStarted } from '../../domain/recovery/recovery.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { LOG, type Log } from '../../kernel/log.js';
import { isRejection } from '../../kernel/result.js';
import { Publishers } from '../../platforms/platform-catalogue.js';
import type { LookUpResult, SendContext, SendInDoubt, Step } from '../../platforms/publisher.js';
import { PublishScheduleQueries } from '../../projections/publish-schedule/publish-schedule.queries.js';
import type { ScheduledPublication } from '../../projections/publish-schedule/publish-schedule.tables.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { SecretVault } from '../../secrets/vault.js';
import { causedBy } from '../engine/event-saga.js';
import { GroupConcurrency } from '../engine/group-concurrency.js';
import { isOutage } from '../engine/run-under-lease.js';
import type { LoadedPublication } from '../publish-due-posts/attempt/attempt-state.js';
import { nextVisible, type SentPost, SentPosts } from '../publish-due-posts/attempt/sent-posts.js';
import { Pacing } from '../publish-due-posts/attempt/start-limits.js';
import { ChannelStates } from '../publish-due-posts/inputs/waiting-publications.js';

const NAME = 'recover';
const PAGE_SIZE = 200;
/** Pauses before networks that did not answer are asked again, in ms. */
const ASK_AGAIN_AFTER_MS = [5_000, 15_000, 45_000];
/** What is not found by then stays in doubt, so that people can settle it. */
const LONGEST_MS = 300_000;
/** Maximum clock difference between the machine that wrote the last event and this one, in ms. */
const CLOCK_DIFFERENCE_MS = 5_000;

type Found = 'found' | 'not_found' | 'unanswered';

/** A publication in doubt, rendered as it may have been sent. */
interface Candidate {
  readonly row: ScheduledPublication;
  readonly publication: LoadedPublication;
  readonly post: SentPost;
  readonly started: RecordedEvent<RecoveryStarted>;
  /** @returns null if the read model does not show all earlier messages yet */
  readonly lookUp: (
    step: Step,
    results: SendContext['results'],
    after: LoadedPublication,
  ) => Promise<LookUpResult | null>;
}

/**
 * Looks up the publications that a recovery put in doubt, where the network can (D-80). What is found becomes
 * published, step by step; nothing is ever sent. Safe to repeat: what was found is no longer in doubt.
 */
@Injectable()
export class LookUpRestored {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly schedule: PublishScheduleQueries,
    private readonly publishers: Publishers,
    private readonly sentPosts: SentPosts,
    private readonly channels: ChannelStates,
    private readonly vault: SecretVault,
    private readonly pacing: Pacing,
    private readonly concurrency: GroupConcurrency,
    private readonly pauses: PauseAfterPublication,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @returns the number of publications that were found @throws Unavailable */
  async lookUpAll(started: RecordedEvent<RecoveryStarted>, signal: AbortSignal): Promise<number> {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
    const claimed = new Set<string>();
    let found = 0;
    let asked: ReadonlySet<string> | null = null;
    for (const pause of [0, ...ASK_AGAIN_AFTER_MS]) {
      await sleepUnlessAborted(pause, inTime);
      const unanswered = new Set<string>();
      const unansweredChannels = new Set<string>();
      for (let after: ScheduledPublication | null = null; !inTime.aborted;) {
        const page: readonly ScheduledPublication[] = await this.schedule.readRestored(after, PAGE_SIZE);
        if (page.length === 0) break;
        const channels = new Map<string, ScheduledPublication[]>();
        for (const row of page)
          if (asked?.has(row.publication_id) ?? true)
            channels.set(row.channel_id, [...(channels.get(row.channel_id) ?? []), row]);
        const lookUpInOrder = async (rows: readonly ScheduledPublication[]): Promise<void> => {
          for (const row of rows) {
            if (inTime.aborted) return;
            // Out of order, a later post with the same words would be taken for this one.
            const isBehind = unansweredChannels.has(row.channel_id);
            const result = isBehind ? 'unanswered' : await this.lookUpSafely(row, started, claimed, inTime);
            if (result === 'found') found += 1;
            if (result !== 'unanswered') continue;
            unanswered.add(row.publication_id);
            unansweredChannels.add(row.channel_id);
          }
        };
        await Promise.all([...channels.values()].map(lookUpInOrder));
        after = page.at(-1)!;
      }
      if (unanswered.size === 0) break;
      asked = unanswered;
    }
    signal.throwIfAborted();
    return found;
  }

  /** A post that cannot be read stays in doubt, and holds up no other. */
  private async lookUpSafely(
    row: ScheduledPublication,
    started: RecordedEvent<RecoveryStarted>,
    claimed: Set<string>,
    signal: AbortSignal,
  ): Promise<Found> {
    try {
      const candidate = await this.prepare(row, started, claimed, signal);
      return candidate ? await this.findSteps(candidate) : 'not_found';
    } catch (error) {
      if (isOutage(error)) throw error;
      this.log.error({ publication: row.publication_id, err: error }, 'failed to look up a post after a restore');
      return 'not_found';
    }
  }

  /** @returns null if the network cannot look up, or if it is unknown what was sent */
  private async prepare(
    row: ScheduledPublication,
    started: RecordedEvent<RecoveryStarted>,
    claimed: Set<string>,
    signal: AbortSignal,
  ): Promise<Candidate | null> {
    const { channel_id: channelId, owner_id: ownerId } = row;
    const publisher = this.publishers.get(row.platform);
    if (!publisher.lookUp) return null;
    const [channel, publication] = await Promise.all([
      this.channels.loadChannel(channelId),
      this.aggregates.loadAggregate(decider, row.publication_id),
    ]);
    if (channel.deleted || publication.state.status !== 'in_doubt') return null;
    const credentials = await this.vault.readSecret(channel.credentialsId);
    if (!credentials) return null;
    const target = { id: channelId, address: channel.address, settings: { ...channel.settings } };
    const signals = { drain: signal, abort: signal };
    const paced = { publisher, target, ownerId, signals, endStart: () => undefined };
    const awaitTurn = async () => void (await this.pacing.waitForTurn(paced, { visible: false }, credentials));
    const post = await this.sentPosts.read({ row, publication, channel, publisher, credentials, signal, awaitTurn });
    if (!post) return null;
    const { from, at } = started.data;
    const { startedAt } = publication.state;
    const since = Math.min(from ?? at, startedAt || Infinity) - CLOCK_DIFFERENCE_MS;
    const send: SendInDoubt = { since, until: at, before: new Set() };
    const chat = JSON.stringify([channel.platform, channel.address]);

    const lookUp: Candidate['lookUp'] = async (step, results, after) => {
      const place = { group: channel.platform, owner: ownerId };
      this.concurrency.acquire(place);
      try {
        const answer = await post.lookUp(step, results, send, after.position);
        if (answer?.kind !== 'sent') return answer;
        // Another channel may publish in the same chat, and its message may not be in the read model yet.
        const names = answer.outcome.messageIds.map((id) => chat + id);
        if (names.some((name) => claimed.has(name))) return { kind: 'unknown' };
        for (const name of names) claimed.add(name);
        return answer;
      } finally {
        this.concurrency.release(place);
      }
    };
    return { row, publication, post, started, lookUp };
  }

  /** Looks up the visible steps in order, and records each that is found. */
  private async findSteps(candidate: Candidate): Promise<Found> {
    const { row, started, lookUp } = candidate;
    const { render } = candidate.post;
    const { publication_id: publicationId, post_id: postId, channel_id: channelId } = row;
    let { publication } = candidate;
    for (;;) {
      const { results } = publication.state;
      const step = nextVisible(render, results);
      if (!step) return 'not_found';
      const answer = await lookUp(step, results, publication);
      if (answer === null || answer.kind === 'unanswered') return 'unanswered';
      if (answer.kind !== 'sent') return 'not_found';
      const { result, messageIds, urls } = answer.outcome;
      const after = { ...results, [step.name]: result };
      const isWhole = nextVisible(render, after) === undefined;
      const at = Date.now();
      const origin = causedBy(started, NAME);
      if (isWhole) await this.applyPauses(candidate, at);
      const found = { step: step.name, result, isWhole, messageIds, urls, warnings: render(after).warnings };
      const command = { type: 'MarkFound', at, ...found, publicationId, postId, channelId } as const;
      const context = { ...origin, commandId: `${NAME}/${started.id}/${publicationId}/${step.name}`, at };
      const recorded = await recordPublicationProgress(this.aggregates, context, command, publication);
      if (isRejection(recorded)) return 'not_found'; // someone settled it meanwhile
      if (isWhole) return 'found';
      publication = recorded.aggregate;
    }
  }

  /** Applies the post's own pauses before its success is recorded: no later post may overtake them. */
  private async applyPauses({ row, post: { payload }, started }: Candidate, at: Instant): Promise<void> {
    if (!payload.ad_pause_minutes && !payload.ad_target_pause_minutes) return;
    const { post_id: postId, project_id: projectId, channel_id: channelId } = row;
    await this.pauses.apply({ postId, projectId, channelId, payload, at, origin: causedBy(started, NAME) });
  }
}
