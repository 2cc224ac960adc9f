import { type ServerWritableStream, status } from '@grpc/grpc-js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { EventLog, LoggedEvent } from './event-log.js';
import type { Faults } from './faults.js';
import { type EventFilter, filterOf } from './filter.js';
import {
  accessDenied,
  createFailure,
  eventMessage,
  nameOf,
  notFoundMessage,
  serverNotReady,
  streamDeleted,
} from './messages.js';
import type { Subscriptions } from './subscriptions.js';

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

/** Writes one message and waits until the client accepts more. @returns false if the call has ended */
export const writeMessage = async (call: ReadCall, message: streams.ReadResp): Promise<boolean> => {
  if (call.cancelled || call.destroyed) return false;
  if (!call.write(message)) await waitForCallEvent(call, 'drain');
  return !call.cancelled && !call.destroyed;
};

/** Waits for an event of a call, or for its end in any way. */
export const waitForCallEvent = (call: ReadCall, eventName: 'drain' | 'appended'): Promise<void> =>
  new Promise((resolve) => {
    const events = [eventName, 'cancelled', 'close', 'error', 'finish'];
    const done = (): void => {
      for (const event of events) call.off(event, done);
      resolve();
    };
    for (const event of events) call.on(event, done);
  });

/** Creates the `Read` call, which combines four calls: a stream or $all, a number of events or a subscription. */
export const createReadCall = (log: EventLog, faults: Faults, subscriptions: Subscriptions) => (call: ReadCall) => {
  const options = call.request.getOptions() ?? new streams.ReadReq.Options();
  const isSubscription = options.hasSubscription();
  call.on('error', () => undefined); // the client has disconnected
  if (faults.shouldRejectCall(isSubscription ? 'subscribe' : 'read')) return call.emit('error', serverNotReady());
  if (faults.denied.includes(isSubscription ? 'subscribe' : 'read')) return call.emit('error', accessDenied());
  const followed = isSubscription && options.hasStream() ? nameOf(options.getStream()?.getStreamIdentifier()) : null;
  const filter: EventFilter = followed === null ? filterOf(options.getFilter()) : (event) => event.stream === followed; // only from its end
  const structuredIds = options.getUuidOption()?.hasStructured() ?? false;
  if (isSubscription) return void subscriptions.serve(call, options, filter, structuredIds);
  const events = options.hasAll() ? readAll(log, options, filter) : readStream(log, options);
  if (events === 'deleted')
    return call.emit('error', streamDeleted(nameOf(options.getStream()?.getStreamIdentifier())));
  if (events === 'no-record')
    return call.emit('error', createFailure(status.UNKNOWN, 'Unexpected ReadAllResult: Error'));
  void sendEvents(call, options, events, structuredIds);
};

const sendEvents = async (
  call: ReadCall,
  options: streams.ReadReq.Options,
  events: Iterable<LoggedEvent> | undefined,
  structuredIds: boolean,
): Promise<void> => {
  if (!events) await writeMessage(call, notFoundMessage(nameOf(options.getStream()?.getStreamIdentifier())));
  let left = BigInt(options.getCount());
  for (const event of events ?? []) {
    if (left-- === 0n || !(await writeMessage(call, eventMessage(event, structuredIds)))) break;
  }
  call.end();
};

/**
 * Reads a stream. Revisions are inclusive in both directions; `start` reads forwards and `end` backwards, whatever the
 * given direction.
 */
const readStream = (log: EventLog, options: streams.ReadReq.Options): Iterable<LoggedEvent> | 'deleted' | undefined => {
  const from = options.getStream();
  const events = log.readStream(nameOf(from?.getStreamIdentifier()));
  if (!events || events === 'deleted' || from?.hasStart()) return events;
  if (from?.hasEnd()) return events.toReversed();
  const revision = BigInt(from?.getRevision() ?? 0);
  return options.getReadDirection() === streams.ReadReq.Options.ReadDirection.FORWARDS
    ? events.filter((event) => event.revision >= revision)
    : events.filter((event) => event.revision <= revision).toReversed();
};

/** Reads $all. Positions are inclusive forwards and exclusive backwards. */
function readAll(
  log: EventLog,
  options: streams.ReadReq.Options,
  filter: EventFilter,
): Iterable<LoggedEvent> | 'no-record' {
  const all = options.getAll();
  const position = all?.hasPosition() ? BigInt(all.getPosition()?.getCommitPosition() ?? 0) : undefined;
  if (position !== undefined && !log.isRecordStart(position)) return 'no-record';
  const isForwards =
    position === undefined
      ? all?.hasStart()
      : options.getReadDirection() === streams.ReadReq.Options.ReadDirection.FORWARDS;
  const index = position === undefined ? (isForwards ? 0 : log.events.length) : log.indexAt(position);
  return isForwards ? iterateEvents(log, index, 1, filter) : iterateEvents(log, index - 1, -1, filter);
}

function* iterateEvents(log: EventLog, from: number, step: 1 | -1, filter: EventFilter): Iterable<LoggedEvent> {
  for (let index = from; index >= 0 && index < log.events.length; index += step) {
    const event = log.events[index] as LoggedEvent;
    if (filter(event)) yield event;
  }
}
