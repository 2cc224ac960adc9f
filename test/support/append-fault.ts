import { type EventStore, Unavailable } from '../../src/event-store/port.js';

/** Fails appends of one event type, before or after the event is written, as if the process had been killed there. */
export class AppendFault {
  /** When such an append fails; `none` lets it through. */
  now: 'none' | 'before' | 'after' = 'none';
  /** Number of appends that have failed. */
  count = 0;

  constructor(private readonly type: string) {}

  /** Returns a store with the fault. */
  readonly wrap = (store: EventStore): EventStore => {
    const append: EventStore['append'] = async (...call) => {
      const fault = call[2].some(({ type }) => type === this.type) ? this.now : 'none';
      if (fault !== 'none') this.count++;
      if (fault === 'before') throw new Unavailable('killed before the event');
      const appended = await store.append(...call);
      if (fault === 'after') throw new Unavailable('killed after the event');
      return appended;
    };
    return new Proxy(store, {
      get: (target, name, receiver) => (name === 'append' ? append : (Reflect.get(target, name, receiver) as unknown)),
    });
  };
}
