import type { Position } from '../event-store/port.js';
import type { ProjectionProgress } from '../projections/engine/progress.js';

/** A read model, and the types of events that it shows. */
export interface ShowingModel {
  readonly name: string;
  /** Default: all types. */
  readonly handles?: (type: string) => boolean;
}

/** Maximum wait for a read model, in ms: the same as for lists. */
const WAIT_MS = 2_000;
/** How often a wait for a lagging read model checks whether it was cancelled, in ms. */
const BEHIND_WAIT_MS = 2_000;

/**
 * Waits until the read models show changes, so that a reader who is notified of a change also finds it. A read model
 * that is behind or stopped delays only one batch; until it has caught up, later changes are sent without waiting for
 * it.
 */
export class ShownChanges {
  private readonly behind = new Set<string>();

  /** @param onCaughtUp called when a lagging read model has caught up with changes that were sent ahead of it */
  constructor(
    private readonly progress: Pick<ProjectionProgress, 'waitFor'>,
    private readonly models: readonly ShowingModel[],
    private readonly onCaughtUp: () => void,
  ) {}

  /** Waits until the read models show all events of these types up to a position, for at most two seconds. */
  async wait(types: ReadonlySet<string>, position: Position, signal: AbortSignal): Promise<void> {
    const concerned = this.models.filter(
      ({ name, handles = () => true }) => !this.behind.has(name) && [...types].some(handles),
    );
    await Promise.all(
      concerned.map(async ({ name }) => {
        if (!(await this.progress.waitFor([name], position, WAIT_MS))) void this.followBehind(name, position, signal);
      }),
    );
  }

  private async followBehind(name: string, position: Position, signal: AbortSignal): Promise<void> {
    if (this.behind.has(name)) return;
    this.behind.add(name);
    while (!signal.aborted && !(await this.progress.waitFor([name], position, BEHIND_WAIT_MS)));
    this.behind.delete(name);
    if (!signal.aborted) this.onCaughtUp();
  }
}
