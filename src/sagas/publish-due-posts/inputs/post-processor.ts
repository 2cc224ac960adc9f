import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { storeTranslation } from '../../../commands/translation.js';
import type { Processing, Translation } from '../../../domain/project/processing.js';
import { project, type ProjectState } from '../../../domain/project/project.decider.js';
import { translation as decider, type TranslationState } from '../../../domain/translation/translation.decider.js';
import { AggregateCache, AggregateStore, type LoadedAggregate } from '../../../event-store/aggregate-store.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import type { Origin } from '../../../kernel/events.js';
import { newUuid } from '../../../kernel/ids.js';
import type { TextWithEntities } from '../../../payload/entities.js';
import type { PublishError } from '../../../platforms/publisher.js';
import { type ProcessedPost, processPost } from '../../../processing/process-post.js';
import { CircuitBreaker } from '../../../processing/translation/libre-translate.js';
import type { Translate, TranslationResult, Translator } from '../../../processing/translation/translation.js';
import { GroupConcurrency } from '../../engine/group-concurrency.js';
import type { LoadedPublication } from '../attempt/attempt-state.js';
import type { PublicationAttempt } from '../attempt/publication-attempt.js';

/** Thrown if a translation is not stored. */
export class NotTranslated extends Error {}

/**
 * Translations of posts. Each is requested once and stored for every channel, attempt and process. A failure is stored
 * only if the project then publishes the original text; otherwise the next attempt requests the translation again.
 */
@Injectable()
export class StoredTranslations {
  private readonly pending = new Map<string, Promise<TranslationResult>>();

  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(CircuitBreaker) private readonly translator: Translator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns a function that translates the content of a post.
   * @param ownerId the post's owner
   * @param signal aborts requests, whose results are not stored
   */
  forPost(postId: string, ownerId: string, origin: Origin, signal: AbortSignal): Translate {
    return (content, how) => {
      const id = `${postId}_${fingerprintOf(content, how)}`;
      const pending = this.pending.get(id);
      if (pending) return pending;
      const loadOrTranslate = async (): Promise<TranslationResult> => {
        const { state } = await this.aggregates.loadAggregate(decider, id);
        if (state) return resultOf(state);
        const result = await this.translator.translate(content, how, signal);
        const isRetried = result.kind === 'failed' && how.on_failure === 'retry';
        return isRetried || signal.aborted ? result : this.store(id, result, { postId, ownerId }, origin);
      };
      const translating = loadOrTranslate();
      this.pending.set(id, translating);
      return translating.finally(() => this.pending.delete(id));
    };
  }

  /** Returns a function that only reads stored translations. It throws {@link NotTranslated} if there is none. */
  findForPost(postId: string): Translate {
    return async (content, how) => {
      const { state } = await this.aggregates.loadAggregate(decider, `${postId}_${fingerprintOf(content, how)}`);
      if (!state) throw new NotTranslated();
      return resultOf(state);
    };
  }

  /** @returns the stored result, which another process may have stored first */
  private async store(
    translationId: string,
    result: TranslationResult,
    { postId, ownerId }: { readonly postId: string; readonly ownerId: string },
    origin: Origin,
  ): Promise<TranslationResult> {
    const context = { ...origin, commandId: newUuid(), at: this.clock.now(), contentOwner: ownerId };
    const stored = await storeTranslation(this.aggregates, context, { translationId, postId, result });
    return stored ? resultOf(stored) : result;
  }
}

const resultOf = (state: NonNullable<TranslationState>): TranslationResult => {
  if (state.kind === 'stored') {
    const { text, places } = state;
    // The content of a post that is not settled is not erased, so no publication needs this one.
    if (text === null || places === null) throw new Error('the translation was erased');
    return { kind: 'translated', text, places };
  }
  return { kind: 'failed', error: state.error as PublishError, afterMs: null };
};

/** Identifies the combination of text and translation settings. */
const fingerprintOf = (content: TextWithEntities, { url, source, target, on_failure }: Translation): string =>
  createHash('sha256')
    .update(JSON.stringify([url, source, target, on_failure, content.text, content.entities]))
    .digest('hex')
    .slice(0, 32);

/** A post after processing, for one channel. */
export interface ProcessedForChannel {
  readonly processed: ProcessedPost;
  /** Revision of the project whose settings were applied. */
  readonly projectRevision: string;
  /** True if a translation service may have been called, so the channel's state may be stale. */
  readonly hasWaited: boolean;
}

/** The parts of an attempt that processing depends on. */
type ProcessedAttempt = Pick<
  PublicationAttempt,
  'row' | 'payload' | 'channel' | 'origin' | 'signals' | 'ownerId' | 'endStart'
>;

type PostInProject = Pick<ProcessedAttempt['row'], 'post_id' | 'project_id'>;

/**
 * Applies a project's processing to posts (D-28). The first attempt that produces the text pins the project's settings:
 * later attempts and look-ups use the same revision, even if the project has changed.
 */
@Injectable()
export class PostProcessor {
  private readonly projects: AggregateCache<ProjectState>;

  constructor(
    private readonly aggregates: AggregateStore,
    private readonly translations: StoredTranslations,
    private readonly concurrency: GroupConcurrency,
  ) {
    this.projects = new AggregateCache(aggregates, project);
  }

  /** Loads the project in its current state. */
  loadProject(id: string): Promise<LoadedAggregate<ProjectState>> {
    return this.projects.loadLatest(id);
  }

  /** @param current the publication's project in its current state */
  async process(
    { row, payload, channel, origin, signals, ownerId, endStart }: ProcessedAttempt,
    publication: LoadedPublication,
    current: LoadedAggregate<ProjectState>,
  ): Promise<ProcessedForChannel> {
    const { processing, projectRevision } = await this.findProcessing(row, publication, current);
    const translateAndStore = this.translations.forPost(row.post_id, ownerId, origin, signals.drain);
    // A publication that is waiting for a service does not count towards its network's concurrency limit.
    const place = { group: channel.platform, owner: ownerId };
    const translate: Translate = (content, how) => {
      endStart();
      return this.concurrency.releaseWhile(place, translateAndStore(content, how), signals.drain);
    };
    const processed = await processPost(payload, processing, channel.platform, translate);
    return { processed, projectRevision, hasWaited: processing.translation !== undefined };
  }

  /** Processes a post as it may have been sent, without asking for translations; null if one is not stored. */
  async processAsSent(
    { row, payload, channel }: Pick<ProcessedAttempt, 'payload' | 'channel'> & { readonly row: PostInProject },
    publication: LoadedPublication,
    current: LoadedAggregate<ProjectState>,
  ): Promise<ProcessedPost | null> {
    const { processing } = await this.findProcessing(row, publication, current);
    const translate = this.translations.findForPost(row.post_id);
    return processPost(payload, processing, channel.platform, translate).catch((error: unknown) => {
      if (error instanceof NotTranslated) return null;
      throw error;
    });
  }

  private async findProcessing(
    row: PostInProject,
    publication: LoadedPublication,
    current: LoadedAggregate<ProjectState>,
  ): Promise<{ readonly processing: Processing; readonly projectRevision: string }> {
    const projectRevision = publication.state.projectRevision ?? String(current.revision);
    const { state } =
      projectRevision === String(current.revision)
        ? current
        : await this.aggregates.loadAggregateAt(project, row.project_id, BigInt(projectRevision));
    // The management API validated this value before it was stored, so it is a valid Processing.
    return { processing: (state?.processing ?? {}) as unknown as Processing, projectRevision };
  }
}
