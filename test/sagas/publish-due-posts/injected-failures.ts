import { AsyncLocalStorage } from 'node:async_hooks';
import { PauseAfterPublication } from '../../../src/commands/pause.js';
import { type EventStore, Unavailable } from '../../../src/event-store/port.js';
import { Publishers } from '../../../src/platforms/platform-catalogue.js';
import type { SendContext } from '../../../src/platforms/publisher.js';
import { PostPayloads } from '../../../src/projections/posts/post-payloads.js';
import { ChannelMessages } from '../../../src/projections/posts/publications.queries.js';
import { PublicationRunner } from '../../../src/sagas/publish-due-posts/attempt/publication-runner.js';
import { Pacing, PublishingQuota } from '../../../src/sagas/publish-due-posts/attempt/start-limits.js';
import { MediaFiles } from '../../../src/sagas/publish-due-posts/inputs/shared-inputs.js';
import { SecretVault } from '../../../src/secrets/vault.js';

/** Values that a call throws. An outage does not end an attempt; anything else makes it fail. */
export const THROWN: Readonly<Record<string, () => unknown>> = {
  'an Error': () => new Error('injected'),
  'a TypeError': () => new TypeError(`Cannot read properties of undefined (reading 'injected')`),
  'no Error': () => 'injected',
  nothing: () => undefined,
  'a time-out': () => new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
  'an outage of the event store': () => new Unavailable('injected'),
  'an outage of the database': () => new Error('Connection terminated unexpectedly'),
};
export const OUTAGES: ReadonlySet<string> = new Set(['an outage of the event store', 'an outage of the database']);

/**
 * A call of a publication that throws: the n-th, counted from 0 over all attempts, before or after it does its work.
 */
export interface Injection {
  readonly n: number;
  readonly when: 'before' | 'after';
  readonly thrown: keyof typeof THROWN;
}

interface Run {
  readonly injection: Injection | null;
  /** Names of the calls so far. */
  readonly trace: string[];
  isDone: boolean;
}

type Method = (...args: never[]) => unknown;

/** Makes single calls of publications throw, by their channel. All calls of one publication are counted together. */
export class FailureInjector {
  private readonly current = new AsyncLocalStorage<Run>();
  private readonly runs = new Map<string, Run>();
  private readonly restore: (() => void)[] = [];

  /** Replaces the methods of the parts that a publication uses, for this process. */
  constructor() {
    this.replace(PublicationRunner.prototype, 'run', (original) => {
      // eslint-disable-next-line @typescript-eslint/no-this-alias -- the runner, whose class is not this one
      const injector = this;
      return function (this: PublicationRunner, ...args: Parameters<PublicationRunner['run']>) {
        const planned = injector.runs.get(args[0].channel_id);
        const call = () => original.apply(this, args as unknown as never[]);
        return planned ? injector.current.run(planned, call) : call();
      };
    });
    this.count(SecretVault.prototype, 'readSecret');
    this.count(PostPayloads.prototype, 'readPost');
    this.count(PublishingQuota.prototype, 'reserve');
    this.count(PublishingQuota.prototype, 'release');
    this.count(Pacing.prototype, 'waitForTurn');
    this.count(PauseAfterPublication.prototype, 'apply');
    this.count(ChannelMessages.prototype, 'findMessageIds');
    this.replace(MediaFiles.prototype, 'forPost', (original) => {
      const guard = this.guard;
      return function (this: unknown, ...args: never[]) {
        const media = original.apply(this, args) as SendContext['media'];
        return (...wanted: Parameters<typeof media>) => guard('media', () => media(...wanted));
      };
    });
    this.replace(Publishers.prototype, 'get', (original) => {
      const guard = this.guard;
      return function (this: unknown, ...args: never[]) {
        return new Proxy(original.apply(this, args) as object, {
          get: (publisher, name) => {
            const found: unknown = Reflect.get(publisher, name, publisher);
            if (name !== 'send' && name !== 'lookUp') return found;
            return found && ((...given: never[]) => guard(name, () => (found as Method).apply(publisher, given)));
          },
        });
      };
    });
  }

  /** Plans a failure of a channel's next publication; null to only record its calls. */
  plan(channelId: string, injection: Injection | null): void {
    this.runs.set(channelId, { injection, trace: [], isDone: false });
  }

  traceOf(channelId: string): readonly string[] {
    return this.runs.get(channelId)!.trace;
  }

  readonly wrapStore = (store: EventStore): EventStore =>
    new Proxy(store, {
      get: (target, name) => {
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== 'function') return found;
        if (name !== 'append' && name !== 'readStream') return found.bind(target) as unknown;
        return (...args: never[]) => this.guard(name, () => (found as Method).apply(target, args));
      },
    });

  stop(): void {
    for (const restore of this.restore) restore();
  }

  /** Counts a call of the current publication, and throws where that is planned. */
  private readonly guard = async (name: string, call: () => unknown): Promise<unknown> => {
    const run = this.current.getStore();
    if (!run) return call();
    const at = run.trace.push(name) - 1;
    const { injection } = run;
    const throwsHere = injection !== null && !run.isDone && at === injection.n;
    if (!throwsHere) return call();
    run.isDone = true;
    if (injection.when === 'after') await call();
    throw THROWN[injection.thrown]!();
  };

  private count<T extends object>(prototype: T, method: keyof T & string): void {
    const { guard } = this;
    this.replace(prototype, method, (original) => {
      return function (this: unknown, ...args: never[]) {
        return guard(method, () => original.apply(this, args));
      };
    });
  }

  private replace<T extends object>(prototype: T, method: keyof T & string, wrap: (original: Method) => Method): void {
    const original = prototype[method];
    prototype[method] = wrap(original as Method) as typeof original;
    this.restore.push(() => (prototype[method] = original));
  }
}
