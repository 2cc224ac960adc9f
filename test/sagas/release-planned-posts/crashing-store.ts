import type { EventStore } from '../../../src/event-store/port.js';
import { type KillPoint, WorkerKilled } from '../publish-due-posts/kill-points.js';

/** Calls that are steps of a release or a change. */
const STEPS = ['append', 'appendTogether', 'readStream', 'readHead'] as const;

/**
 * The event store of a process that is killed at one of its steps: from then on, none of its calls reaches the store.
 * @param kill null if it is not killed
 */
export class CrashingStore {
  /** The steps so far, by name. */
  readonly trace: string[] = [];
  private dead = false;

  constructor(
    private readonly inner: EventStore,
    private readonly kill: KillPoint | null,
  ) {}

  get isDead(): boolean {
    return this.dead;
  }

  /** Returns the store as the process sees it. */
  open(): EventStore {
    return new Proxy(this.inner, {
      get: (inner, name) => {
        const value: unknown = Reflect.get(inner, name);
        if (typeof value !== 'function') return value;
        const call = (...args: unknown[]) => (value as (...args: unknown[]) => Promise<unknown>).apply(inner, args);
        return (STEPS as readonly unknown[]).includes(name)
          ? (...args: unknown[]) => this.run(String(name), () => call(...args))
          : call;
      },
    });
  }

  private async run<T>(name: string, effect: () => Promise<T>): Promise<T> {
    if (this.dead) throw new WorkerKilled();
    const point = this.trace.push(name) - 1;
    if (this.isHere(point, 'before')) this.die();
    const result = await effect();
    // A call that was sent before the kill may have its effect; the process does not learn it.
    if (this.dead) throw new WorkerKilled();
    if (this.isHere(point, 'after')) this.die();
    return result;
  }

  private isHere(point: number, when: KillPoint['when']): boolean {
    return this.kill?.point === point && this.kill.when === when;
  }

  private die(): never {
    this.dead = true;
    throw new WorkerKilled();
  }
}
