import type { Pool } from 'pg';
import { RepeatedFailure } from '../../runtime/failing-work.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { type LaneDependencies, ProjectionLane } from './lane.js';
import type { Projection } from './projection.js';
import type { Decisions } from './rebuild/rebuilds.js';
import { VersionStore } from './version-store.js';

/** Dependencies of a runner. */
export interface RunnerDependencies extends LaneDependencies {
  /** Pool for version changes, which may wait for running queries. Default: the pool of the lanes. */
  readonly versionsPool?: Pool;
  /** Appends decisions that a killed process left behind; absent in programs that only fill tables. */
  readonly decisions?: Pick<Decisions, 'append'>;
}

interface RunningLane {
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

/** How often to check for version changes, in ms, in case a notification was lost. */
const CHECK_MS = 15_000;
/** Delay, in ms, after a check that failed, such as at a lock while other read models are created. */
const RETRY_MS = 1_000;

/**
 * Runs one projection in this process, with one lane per version that matches this program's code (ADR-101). Other
 * versions are left to processes with matching code.
 */
export class ProjectionRunner {
  private readonly versions: VersionStore;
  private readonly lanes = new Map<number, RunningLane>();
  private hasWarned = false;

  constructor(
    private readonly projection: Projection,
    private readonly deps: RunnerDependencies,
  ) {
    this.versions = new VersionStore(deps.versionsPool ?? deps.pool, projection, deps.store);
  }

  /** Runs until the signal is aborted; survives outages. */
  async run(signal: AbortSignal): Promise<void> {
    const { name } = this.projection;
    const failure = new RepeatedFailure();
    while (!signal.aborted) {
      const changed = new AbortController();
      const off = this.deps.progress.onVersions(name, () => changed.abort());
      let waitMs = CHECK_MS;
      try {
        const own = await this.versions.findOwn();
        this.adjustLanes(own);
        await this.versions.dropUnused();
        await this.deps.decisions?.append(name);
        failure.clear();
        if (own.length === 0) this.warnOfNewerProgram();
      } catch (error) {
        waitMs = RETRY_MS;
        failure.warn(this.deps.log, error, 'failed to check the versions; trying again', { projection: name });
      }
      await sleepUnlessAborted(waitMs, AbortSignal.any([signal, changed.signal]));
      off();
    }
    await this.stopLanes([...this.lanes.keys()]);
  }

  /** Starts the lanes of new versions and stops the lanes of dropped versions. */
  private adjustLanes(own: readonly number[]): void {
    void this.stopLanes([...this.lanes.keys()].filter((version) => !own.includes(version)));
    for (const version of own) {
      if (this.lanes.has(version)) continue;
      const stopping = new AbortController();
      const lane = new ProjectionLane(this.projection, version, this.versions, this.deps);
      this.lanes.set(version, { stopping, ended: lane.run(stopping.signal) });
    }
  }

  private async stopLanes(versions: readonly number[]): Promise<void> {
    const stopped = versions.map((version) => this.lanes.get(version)!);
    for (const version of versions) this.lanes.delete(version);
    for (const { stopping } of stopped) stopping.abort();
    await Promise.all(stopped.map(({ ended }) => ended));
  }

  private warnOfNewerProgram(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    const text = 'a newer program fills this read model; this process only reads it';
    this.deps.log.warn({ projection: this.projection.name, code: this.projection.version }, text);
  }
}
