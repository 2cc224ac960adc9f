import { Inject, Injectable } from '@nestjs/common';
import type { ShownEndpoint } from '../../domain/endpoint/endpoint.events.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import { type AuditEntry, AuditIndex } from '../../projections/audit/audit.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { PostStories } from '../../projections/posts/post-details.queries.js';
import { findAggregate } from '../aggregates/catalogue.js';
import { EventLoader } from '../audit-trail/audit-trail.js';
import { EVENT_ID, type HistoricEvent } from '../read-log.js';
import { HistoryReader, wholeStream } from '../time-travel/history-reader.js';

/** The request that started a story. */
export interface StoryRequest {
  readonly id: string;
  readonly at: Instant;
  /** Actor identified by the request's key: `operator`, `owner:own_…`, `endpoint:ep_…`. */
  readonly actor: string;
  /** Name of the endpoint at that time; null for other keys, and for an endpoint without a name. */
  readonly keyName: string | null;
  readonly ip: string;
}

/** All events that resulted from one command; they share a correlation id. */
export interface Story {
  /** Null if no request started the story. */
  readonly request: StoryRequest | null;
  /** Oldest first. */
  readonly events: readonly HistoricEvent[];
}

/** Finds the story of a post, a publication, a request or an event (management-api.md: `GET /history/trace/{id}`). */
@Injectable()
export class Traces {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly stories: PostStories,
    private readonly progress: ProjectionProgress,
    private readonly index: AuditIndex,
    private readonly events: EventLoader,
    private readonly reader: HistoryReader,
  ) {}

  /**
   * @param ownerId owner whose events to return; null for all events
   * @returns null if the story does not exist, or the owner may not see it
   * @throws Unavailable @throws UndecodableEvent
   */
  async find(id: string, ownerId: string | null): Promise<Story | null> {
    const { index, events, progress, store } = this;
    await progress.waitUntilCaughtUp(['audit', 'posts'], store);
    for (const correlationId of await this.findCorrelationIds(id)) {
      const found = (await events.load(await index.listStory(correlationId, ownerId))).filter(
        (event) => event.correlationId === correlationId,
      );
      if (found.length > 0) return { request: await this.findRequest(found), events: found };
    }
    return null;
  }

  private async findCorrelationIds(id: string): Promise<readonly string[]> {
    const { stories, index } = this;
    if (EVENT_ID.test(id)) return this.correlationsOf(await index.findEvents(id, null), (event) => event.id === id);
    if (id.startsWith('post_')) return listFound(await stories.findOfPost(id));
    if (id.startsWith('pub_')) return listFound(await stories.findOfPublication(id));
    // A request's story has the request's id, but a decision about a publication belongs to the story of the post.
    return [id, ...(await this.correlationsOf(await index.findStoriesOf(id), () => true))];
  }

  private async correlationsOf(
    entries: readonly AuditEntry[],
    condition: (event: HistoricEvent) => boolean,
  ): Promise<string[]> {
    const events = await this.events.load(entries);
    return events.filter(condition).map(({ correlationId }) => correlationId);
  }

  private async findRequest(events: readonly HistoricEvent[]): Promise<StoryRequest | null> {
    const first = events.find(({ clientAddress }) => clientAddress !== null);
    if (!first) return null;
    const { requestId: id, at, actor, actorName, clientAddress } = first;
    return { id, at, actor, keyName: actorName ?? (await this.findKeyName(actor, at)), ip: clientAddress! };
  }

  private async findKeyName(actor: string, at: Instant): Promise<string | null> {
    if (!actor.startsWith('endpoint:')) return null;
    const place = wholeStream(actor.replace(':', '-'));
    const { state } = await this.reader.foldUpTo(findAggregate('endpoint')!, place, { at });
    return (state as unknown as ShownEndpoint | null)?.name ?? null;
  }
}

const listFound = (id: string | null): readonly string[] => (id === null ? [] : [id]);
