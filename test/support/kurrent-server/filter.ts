import type streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { LoggedEvent } from './event-log.js';

export type EventFilter = (event: LoggedEvent) => boolean;

/** Returns a filter by stream name or event type, by prefix or regular expression. Without options it selects every event. */
export const filterOf = (options: streams.ReadReq.Options.FilterOptions | undefined): EventFilter => {
  if (!options) return () => true;
  const expression = options.getEventType() ?? options.getStreamIdentifier();
  const subject = options.hasEventType() ? (event: LoggedEvent) => event.type : (event: LoggedEvent) => event.stream;
  const regex = expression?.getRegex();
  if (regex) {
    const pattern = new RegExp(regex);
    return (event) => pattern.test(subject(event));
  }
  const prefixes = expression?.getPrefixList() ?? [];
  return (event) => prefixes.some((prefix) => subject(event).startsWith(prefix));
};
