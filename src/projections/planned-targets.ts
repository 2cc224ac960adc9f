import {
  isPlanned,
  listReleased,
  type PlannedPostEvent,
  type PostAccepted,
  type Target,
} from '../domain/post/post.events.js';
import type { RecordedEvent } from '../kernel/events.js';
import { defineTable, jsonb, type RowOfTable, text, type Tx } from './engine/projection.js';
import { Rows } from './engine/rows.js';

/** Targets of the current content of planned posts, one row per post. */
export const plannedTargetRows = defineTable(
  { name: 'planned_target', key: 'post_id', isHot: true },
  { post_id: text(), targets: jsonb<readonly Target[]>() },
);
type PlannedTargetRow = RowOfTable<typeof plannedTargetRows>;

type PostPlanEvent = PostAccepted | PlannedPostEvent;

/** Types of events that {@link PlannedTargets} handles. */
const TYPES: ReadonlySet<string> = new Set<PostPlanEvent['type']>([
  'PostAccepted',
  'PostReleased',
  'PostRevised',
  'PlannedPublicationsCancelled',
  'PostRejected',
]);

/** True for types of events that {@link PlannedTargets} handles. */
export const changesPlannedTargets = (type: string): boolean => TYPES.has(type);

/**
 * The targets of planned posts, for projections that queue publications or find posts by their targets. A release refers to the targets of the post's
 * content instead of repeating them (ADR-242), and projections read only their own tables.
 */
export class PlannedTargets {
  private constructor(private readonly rows: Rows<PlannedTargetRow>) {}

  /** Loads the targets that a batch needs. They are not cached, because a post may have thousands. */
  static async load(tx: Tx, events: readonly RecordedEvent[]): Promise<PlannedTargets> {
    const ids = events.flatMap((event) =>
      TYPES.has(event.type) && event.type !== 'PostAccepted'
        ? [(event.data as { readonly postId: string }).postId]
        : [],
    );
    return new PlannedTargets(await Rows.load(tx, plannedTargetRows, ids));
  }

  /** Lists the targets that were planned before the batch. */
  *values(): Iterable<Target> {
    for (const { targets } of this.rows.values()) yield* targets;
  }

  /** Applies an event. Returns the targets that it queues. */
  apply(event: { readonly type: string; readonly data: unknown }): readonly Target[] {
    if (!TYPES.has(event.type)) return [];
    const { type, data } = event as PostPlanEvent;
    switch (type) {
      case 'PostAccepted':
        if (!isPlanned(data)) return data.targets;
        this.rows.put({ post_id: data.postId, targets: data.targets });
        return [];
      case 'PostRevised':
        this.rows.put({ post_id: data.postId, targets: data.targets });
        return [];
      case 'PostReleased': {
        const targets = listReleased(data, this.rows.get(data.postId)?.targets ?? []);
        this.rows.remove(data.postId);
        return targets;
      }
      case 'PlannedPublicationsCancelled':
      case 'PostRejected':
        // The release names the cancelled publications, so they stay in the row.
        if (data.isLast) this.rows.remove(data.postId);
        return [];
      default:
        return [];
    }
  }

  /** Removes targets of a post, for a projection that lists only what is still planned. */
  drop(postId: string, publicationIds: readonly string[]): void {
    const dropped = new Set(publicationIds);
    const row = this.rows.get(postId);
    if (row) this.rows.put({ ...row, targets: row.targets.filter((each) => !dropped.has(each.publicationId)) });
  }

  flush(): Promise<void> {
    return this.rows.flush();
  }
}
