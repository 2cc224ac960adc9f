import type { RecordedEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import type { JsonObject } from '../../kernel/json.js';
import type { AuditIndex, ResourceKind } from '../../projections/audit/audit.queries.js';
import type { PostPayloads } from '../../projections/posts/post-payloads.js';
import { Semaphore } from '../../runtime/semaphore.js';
import type { SecretVault } from '../../secrets/vault.js';
import { findAggregate } from '../aggregates/catalogue.js';
import type { Folded, HistoryAggregate, MemberChanges } from '../aggregates/history-aggregate.js';
import { type PostHistory, withPayload } from '../aggregates/post.js';
import { maskErasedSecrets } from '../erased-secrets.js';
import { type HistoricEvent, toHistoricEvent } from '../historic-event.js';
import type { AggregatePlaces } from './aggregate-places.js';
import { type AuthoredChange, ChangeAuthors, diffStates } from './diff.js';
import type { AggregatePlace, HistoryReader } from './history-reader.js';
import type { Until } from './history-snapshots.js';

/** An aggregate as it stood. */
export interface PastAggregate {
  readonly state: JsonObject;
  /** The last change of each member. */
  readonly changes: MemberChanges;
  readonly revision: bigint;
  /** Time of the last event. */
  readonly at: Instant;
}

/** The end of a difference: a time, and the last revision at that time; null before the first event. */
export interface DiffEnd {
  readonly at: Instant;
  readonly revision: bigint | null;
}

/** The difference of an aggregate between two moments. */
export interface PastDifference {
  readonly from: DiffEnd;
  readonly to: DiffEnd;
  readonly changes: readonly AuthoredChange[];
}

/** A resource or its pauses at a moment. */
export interface PastResource {
  readonly id: string;
  readonly revision: bigint;
  readonly state: JsonObject;
}

/** Endpoints and pauses at a moment. */
export interface PastOverview {
  readonly endpoints: readonly PastResource[];
  readonly projectPauses: readonly PastResource[];
  readonly channelPauses: readonly PastResource[];
}

/** Most streams that one overview reads at a time. */
const CONCURRENT_READS = 100;

/** Answers how aggregates stood at a time, and what changed between two times, from their streams. */
export class TimeTravel {
  constructor(
    private readonly places: AggregatePlaces,
    private readonly reader: HistoryReader,
    private readonly index: AuditIndex,
    private readonly payloads: PostPayloads,
    private readonly vault: SecretVault,
  ) {}

  /**
   * Shows an aggregate as it stood at a time or after a revision.
   * @param ownerId only if it belongs to this owner; null: to any
   * @param page events to show, the oldest first
   * @returns null if there was no event of it then @throws Unavailable @throws UndecodableEvent
   */
  async show(
    aggregate: HistoryAggregate,
    id: string,
    ownerId: string | null,
    until: Until,
    page: { readonly from: bigint; readonly limit: number },
  ): Promise<{ readonly aggregate: PastAggregate; readonly events: readonly HistoricEvent[] } | null> {
    const place = await this.places.find(aggregate, id, ownerId);
    if (!place) return null;
    const folded = await this.reader.foldUpTo(aggregate, place, until);
    if (folded.state === null || (until.revision !== undefined && until.revision !== folded.revision)) return null;
    const range = { ...page, to: folded.revision };
    const events = range.from > range.to ? [] : await this.reader.readEvents(aggregate, place, range);
    const { changes, revision, at } = folded;
    const state = await this.completeState(aggregate, place, folded.state);
    const shown = await maskErasedSecrets(this.vault, {
      ...{ state, changes: changes, data: events.map(({ data }) => data) },
    });
    return {
      aggregate: { state: shown.state, changes: shown.changes, revision, at },
      events: events.map((event, i) => toHistoricEvent({ ...event, data: shown.data[i] })),
    };
  }

  /**
   * Compares an aggregate at two times.
   * @param ownerId see {@link show}
   * @returns null if there was no event of it at the later time @throws Unavailable @throws UndecodableEvent
   */
  async diff(
    aggregate: HistoryAggregate,
    id: string,
    ownerId: string | null,
    { from, to }: { readonly from: Instant; readonly to: Instant },
  ): Promise<PastDifference | null> {
    const place = await this.places.find(aggregate, id, ownerId);
    if (!place) return null;
    const authors = new ChangeAuthors();
    const recordStep = (before: Folded, after: Folded, event: RecordedEvent) =>
      authors.record(before.state, after.state, event);
    const first = await this.reader.foldUpTo(aggregate, place, { at: from });
    const last = await this.reader.foldFrom(aggregate, place, first, { at: to }, recordStep);
    if (last.state === null) return null;
    const changes = authors.attribute(diffStates(first.state, last.state));
    const values = changes.map(({ path, before, after }) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return [{ [name]: before }, { [name]: after }] as const;
    });
    const shown = await maskErasedSecrets(this.vault, values);
    const ofPost = aggregate.name === 'post' ? await this.completeState(aggregate, place, last.state) : null;
    return {
      from: endOf(from, first),
      to: endOf(to, last),
      changes: changes.map((change, i) => {
        const [[before], [after]] = [Object.values(shown[i]![0]), Object.values(shown[i]![1])];
        const whole = ofPost?.[change.path.slice(1)];
        return { ...change, before: before ?? null, after: whole ?? after ?? null };
      }),
    };
  }

  /** Shows the endpoints of an owner that existed at a time, and the pauses of its projects and channels. @param ownerId null: of all owners */
  async showOverview(at: Instant, ownerId: string | null): Promise<PastOverview> {
    await this.index.catchUp();
    const reads = new Semaphore(CONCURRENT_READS);
    const list = async (name: string, kind: ResourceKind): Promise<readonly PastResource[]> => {
      const ids = await this.index.listResources(kind, ownerId, name !== kind);
      const found = await Promise.all(
        ids.map(async (id) => {
          const release = await reads.acquire();
          return this.showExisting(name, kind, id, at).finally(release);
        }),
      );
      return found.filter((each) => each !== null);
    };
    const [endpoints, projectPauses, channelPauses] = await Promise.all([
      ...[list('endpoint', 'endpoint'), list('project-pause', 'project'), list('channel-pause', 'channel')],
    ]);
    return maskErasedSecrets(this.vault, {
      ...{ endpoints: endpoints!, projectPauses: projectPauses!, channelPauses: channelPauses! },
    });
  }

  /** Returns null if there was none yet, or the resource was deleted by then. */
  private async showExisting(name: string, kind: ResourceKind, id: string, at: Instant): Promise<PastResource | null> {
    const fold = (of: string) => {
      const aggregate = findAggregate(of)!;
      return this.reader.foldUpTo(aggregate, { stream: `${aggregate.category}-${id}`, first: 0n, last: null }, { at });
    };
    const { state, revision } = await fold(name);
    if (state === null) return null;
    const resource = name === kind ? state : (await fold(kind)).state;
    return resource === null || resource['deleted_at'] !== null ? null : { id, revision, state };
  }

  /** Puts in a payload that is stored in parts (D-42). */
  private async completeState(
    { name }: HistoryAggregate,
    { stream, first }: AggregatePlace,
    state: JsonObject,
  ): Promise<JsonObject> {
    if (name !== 'post' || state['payload'] !== null) return state;
    const payload = await this.payloads.readPayload(stream, String(first));
    return withPayload(state as unknown as PostHistory, payload);
  }
}

const endOf = (at: Instant, { revision }: Folded): DiffEnd => ({ at, revision: revision < 0n ? null : revision });
