import type { AppendResult, EventStore } from '../../../src/event-store/port.js';
import { type KillPoint, WorkerKilled } from '../publish-due-posts/kill-points.js';

/** One request: what it appended, and where its process is killed. */
interface RequestRun {
  readonly kill: KillPoint | null;
  readonly trace: string[];
  isDead: boolean;
}

/** Simulates the death of the process that takes back or edits a post: it appends nothing more for that post. */
export class RequestKiller {
  private readonly runs = new Map<string, RequestRun>();

  /** Starts to count the appends for a post. */
  watch(postId: string, kill: KillPoint | null): RequestRun {
    const run = { kill, trace: [], isDead: false };
    this.runs.set(postId, run);
    return run;
  }

  readonly wrapStore = (inner: EventStore): EventStore =>
    new Proxy(inner, {
      get: (target, name) => {
        if (name === 'append') return (...args: Parameters<EventStore['append']>) => this.append(target, ...args);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });

  private async append(inner: EventStore, ...args: Parameters<EventStore['append']>): Promise<AppendResult> {
    const [first] = args[2];
    const { postId = '' } = first ? (JSON.parse(first.data) as { readonly postId?: string }) : {};
    const run = this.runs.get(postId);
    if (!run || !first || !/Withdraw|Edit/.test(first.type)) return inner.append(...args);
    if (run.isDead) throw new WorkerKilled();
    const point = run.trace.push(first.type) - 1;
    const isHere = run.kill?.point === point;
    if (isHere && run.kill?.when === 'before') run.isDead = true;
    if (run.isDead) {
      run.trace.pop();
      throw new WorkerKilled();
    }
    const result = await inner.append(...args);
    if (isHere) run.isDead = true;
    if (isHere) throw new WorkerKilled();
    return result;
  }
}
