import { status, type ServerWritableStream } from '@grpc/grpc-js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { EventLog, LoggedEvent } from './event-log.js';
import type { Faults } from './faults.js';
import { eventMessage, failure, nameOf, notFoundMessage, serverNotReady } from './messages.js';
import { filterOf, type EventFilter } from './filter.js';
import type { Subscriptions } from './subscriptions.js';

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

/** Writes one message and waits while the client does not take it. False when the call is over. */
export const written = async (call: ReadCall, message: streams.ReadResp): Promise<boolean> => {
  if (call.cancelled || call.destroyed) return false;
  if (!call.write(message)) await anyOf(call, 'drain');
  return !call.cancelled && !call.destroyed;
};

/** Waits until something happens to a call: what is named, or its end in any of the ways there are. */
export const anyOf = (call: ReadCall, happening: 'drain' | 'appended'): Promise<void> =>
  new Promise((resolve) => {
    const events = [happening, 'cancelled', 'close', 'error', 'finish'];
    const done = (): void => {
      for (const event of events) call.off(event, done);
      resolve();
    };
    for (const event of events) call.on(event, done);
  });

/** `Read` is four calls in one: a stream or $all, so many events or a subscription. */
export const readCall = (log: EventLog, faults: Faults, subscriptions: Subscriptions) => (call: ReadCall) => {
  const options = call.request.getOptions() ?? new streams.ReadReq.Options();
  const subscribes = options.hasSubscription();
  call.on('error', () => undefined); // the client has gone
  if (faults.refuses(subscribes ? 'subscribe' : 'read')) return call.emit('error', serverNotReady());
  const filter = filterOf(options.getFilter());
  const structuredIds = options.getUuidOption()?.hasStructured() ?? false;
  if (subscribes) return void subscriptions.run(call, options, filter, structuredIds);
  const events = options.hasAll() ? readAll(log, options, filter) : readStream(log, options);
  if (events === 'off-edge') return call.emit('error', failure(status.UNKNOWN, 'Unexpected ReadAllResult: Error'));
  void send(call, options, events, structuredIds);
};

const send = async (
  call: ReadCall,
  options: streams.ReadReq.Options,
  events: Iterable<LoggedEvent> | undefined,
  structuredIds: boolean,
): Promise<void> => {
  if (!events) await written(call, notFoundMessage(nameOf(options.getStream()?.getStreamIdentifier())));
  let left = BigInt(options.getCount());
  for (const event of events ?? []) {
    if (left-- === 0n || !(await written(call, eventMessage(event, structuredIds)))) break;
  }
  call.end();
};

/** Revisions are inclusive both ways; `start` reads forwards and `end` backwards whatever the direction says. */
const readStream = (log: EventLog, options: streams.ReadReq.Options): Iterable<LoggedEvent> | undefined => {
  const from = options.getStream();
  const events = log.readable(nameOf(from?.getStreamIdentifier()));
  if (!events || from?.hasStart()) return events;
  if (from?.hasEnd()) return events.toReversed();
  const revision = BigInt(from?.getRevision() ?? 0);
  return options.getReadDirection() === streams.ReadReq.Options.ReadDirection.FORWARDS
    ? events.filter((event) => event.revision >= revision)
    : events.filter((event) => event.revision <= revision).toReversed();
};

/** Positions are inclusive forwards and exclusive backwards. */
function readAll(
  log: EventLog,
  options: streams.ReadReq.Options,
  filter: EventFilter,
): Iterable<LoggedEvent> | 'off-edge' {
  const all = options.getAll();
  const position = all?.hasPosition() ? BigInt(all.getPosition()?.getCommitPosition() ?? 0) : undefined;
  if (position !== undefined && !log.isEdge(position)) return 'off-edge';
  const forwards =
    position === undefined
      ? all?.hasStart()
      : options.getReadDirection() === streams.ReadReq.Options.ReadDirection.FORWARDS;
  const index = position === undefined ? (forwards ? 0 : log.events.length) : log.indexAt(position);
  return forwards ? walk(log, index, 1, filter) : walk(log, index - 1, -1, filter);
}

function* walk(log: EventLog, from: number, step: 1 | -1, filter: EventFilter): Iterable<LoggedEvent> {
  for (let index = from; index >= 0 && index < log.events.length; index += step) {
    const event = log.events[index] as LoggedEvent;
    if (filter(event)) yield event;
  }
}
