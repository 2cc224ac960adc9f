import { Injectable } from '@nestjs/common';
import type { Instant } from '../../kernel/clock.js';
import type { ShownAggregate } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import { AuditIndex, type ResourceKind } from '../../projections/audit/audit.queries.js';
import { Semaphore } from '../../runtime/semaphore.js';
import { SecretVault } from '../../secrets/vault.js';
import { findAggregate } from '../aggregates/catalogue.js';
import type { Folded } from '../aggregates/history-aggregate.js';
import { maskErasedSecrets } from '../erased-secrets.js';
import { type AuthoredChange, compareAggregate, maskErasedValues, type TimeRange } from './diff.js';
import { HistoryReader, wholeStream } from './history-reader.js';

/** A resource or its pauses at a point in time. */
export interface PastResource {
  readonly id: string;
  readonly revision: bigint;
  readonly state: JsonObject;
}

/** Endpoints, channels, projects and pauses at a point in time. */
export type PastOverview = Readonly<
  Record<'endpoints' | 'channels' | 'projects' | 'projectPauses' | 'channelPauses', readonly PastResource[]>
>;

/** A change to one of many aggregates. */
export type ChangeOfAggregate = AuthoredChange & { readonly aggregate: string; readonly id: string };

/** What changed in many aggregates between two times. */
export interface PastDifferences {
  readonly changes: readonly ChangeOfAggregate[];
  /** True if there are more changes. */
  readonly isTruncated: boolean;
}

/** Maximum number of streams that are read concurrently for one response. */
const CONCURRENT_READS = 100;
/** Maximum number of changes in one response (management-api.md: `GET /history/diff`). */
const MAX_CHANGES = 1_000;
/** Aggregates that are compared, in the order of the response. */
const COMPARED = ['endpoint', 'channel', 'project', 'project-pause', 'channel-pause'].map((name) =>
  findAggregate(name)!,
);

/** Shows all endpoints, channels, projects and pauses at a given time, and how they changed between two times. */
@Injectable()
export class OwnerTimeTravel {
  constructor(
    private readonly reader: HistoryReader,
    private readonly index: AuditIndex,
    private readonly vault: SecretVault,
  ) {}

  /**
   * Shows the resources that existed at a given time, and their pauses.
   * @param ownerId null for all owners
   * @throws Unavailable @throws UndecodableEvent
   */
  async showAll(at: Instant, ownerId: string | null): Promise<PastOverview> {
    await this.index.catchUp();
    const reads = new Semaphore(CONCURRENT_READS);
    const show = (name: string, ids: readonly string[]): Promise<PastResource[]> => this.showEach(name, ids, at, reads);
    const showExisting = async (kind: ResourceKind): Promise<PastResource[]> => {
      const ever = await show(kind, await this.index.listResources(kind, ownerId, false));
      return ever.filter(({ state }) => state['deleted_at'] === null);
    };
    const showPauses = async (kind: 'project' | 'channel', of: readonly PastResource[]): Promise<PastResource[]> => {
      const paused = new Set(await this.index.listResources(kind, ownerId, true));
      const ids = of.map(({ id }) => id).filter((id) => paused.has(id));
      return show(`${kind}-pause`, ids);
    };
    const [endpoints, channels, projects] = await Promise.all([
      showExisting('endpoint'),
      showExisting('channel'),
      showExisting('project'),
    ]);
    const [projectPauses, channelPauses] = await Promise.all([
      showPauses('project', projects),
      showPauses('channel', channels),
    ]);
    return maskErasedSecrets(this.vault, { endpoints, channels, projects, projectPauses, channelPauses });
  }

  /**
   * Compares all endpoints, channels, projects and pauses at two points in time. Reads only the streams that have
   * events in between.
   * @param ownerId null for all owners
   * @throws Unavailable @throws UndecodableEvent
   */
  async compareAll(ownerId: string | null, { from, to }: TimeRange): Promise<PastDifferences> {
    await this.index.catchUp();
    const changes: ChangeOfAggregate[] = [];
    for (const aggregate of COMPARED) {
      // `since` is inclusive and `until` exclusive: this excludes an event at `from` and includes an event at `to`.
      const ids = await this.index.listChanged(aggregate.name, ownerId, { since: from + 1, until: to + 1 });
      for (let next = 0; next < ids.length && changes.length <= MAX_CHANGES; next += CONCURRENT_READS) {
        const compared = ids
          .slice(next, next + CONCURRENT_READS)
          .map((id) => this.compareOne(aggregate, id, { from, to }));
        changes.push(...(await Promise.all(compared)).flat());
      }
    }
    const shown = await maskErasedValues(this.vault, changes.slice(0, MAX_CHANGES));
    return { changes: shown, isTruncated: changes.length > MAX_CHANGES };
  }

  private async compareOne(aggregate: ShownAggregate, id: string, times: TimeRange): Promise<ChangeOfAggregate[]> {
    const { changes } = await compareAggregate(this.reader, aggregate, ownStream(aggregate, id), times);
    return changes.map((change) => ({ ...change, aggregate: aggregate.name, id }));
  }

  private async showEach(name: string, ids: readonly string[], at: Instant, reads: Semaphore): Promise<PastResource[]> {
    const aggregate = findAggregate(name)!;
    const fold = async (id: string): Promise<Folded> => {
      const release = await reads.acquire();
      return this.reader.foldUpTo(aggregate, ownStream(aggregate, id), { at }).finally(release);
    };
    const folded = await Promise.all(ids.map(fold));
    return folded.flatMap(({ state, revision }, i) => (state === null ? [] : [{ id: ids[i]!, revision, state }]));
  }
}

const ownStream = ({ category }: ShownAggregate, id: string) => wholeStream(`${category}-${id}`);
