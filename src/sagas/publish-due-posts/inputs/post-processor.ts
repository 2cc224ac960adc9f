import { Injectable } from '@nestjs/common';
import type { Processing } from '../../../domain/project/processing.js';
import { project, type ProjectState } from '../../../domain/project/project.decider.js';
import { AggregateCache, AggregateStore, type LoadedAggregate } from '../../../event-store/aggregate-store.js';
import { type ProcessedPost, processPost } from '../../../processing/process-post.js';
import type { Translate } from '../../../processing/translation/translation.js';
import { GroupConcurrency } from '../../engine/group-concurrency.js';
import type { LoadedPublication } from '../attempt/attempt-state.js';
import type { PublicationAttempt } from '../attempt/publication-attempt.js';
import { NotTranslated, StoredTranslations } from './stored-translations.js';

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
    const translateAndStore = this.translations.forPost(row.post_id, origin, signals.drain);
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
    { row, payload, channel }: Pick<ProcessedAttempt, 'row' | 'payload' | 'channel'>,
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
    row: ProcessedAttempt['row'],
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
