import { type AllStreamRecordedEvent, type EventData, type RecordedEvent } from '@kurrent/kurrentdb-client';
import type { NewEvent, StoredEvent } from '../port.js';

/**
 * True if parsing and writing a text as JSON does not change it. The client works with values, but the port works with
 * text whose every byte counts, because hashes cover it. Text in the form of `JSON.stringify` is sent as JSON, which the
 * server's own pages can show. Any other text is kept unchanged: data as bytes, metadata as a string within JSON, because
 * the client always parses metadata.
 */
const isCanonical = (text: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
};

/** Key of metadata that are not canonical JSON. */
const EXACT_TEXT_KEY = 'exact_text';

const isWrapped = (metadata: unknown): metadata is { readonly [EXACT_TEXT_KEY]: string } =>
  typeof metadata === 'object' && metadata !== null && Object.keys(metadata).join() === EXACT_TEXT_KEY;

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Converts an event to the client's form for an append. */
export const toEventData = ({ id, type, data, metadata }: NewEvent): EventData => {
  const isPlain = isCanonical(metadata) && !isWrapped(JSON.parse(metadata));
  const metadataBytes = toBytes(isPlain ? metadata : JSON.stringify({ [EXACT_TEXT_KEY]: metadata }));
  return isCanonical(data)
    ? { id, type, contentType: 'application/json', data: JSON.parse(data) as [], metadata: metadataBytes }
    : { id, type, contentType: 'application/octet-stream', data: toBytes(data), metadata: metadataBytes };
};

/** Converts an event that the client has read. An event of another program is converted as far as possible. */
export const toStoredEvent = (event: RecordedEvent | AllStreamRecordedEvent): StoredEvent => ({
  id: event.id,
  type: event.type,
  stream: event.streamId,
  revision: event.revision,
  position: event.position?.commit ?? 0n,
  data: toText(event.data),
  metadata: isWrapped(event.metadata) ? event.metadata[EXACT_TEXT_KEY] : toText(event.metadata),
});

const toText = (value: unknown): string => {
  if (value === undefined) return '';
  return value instanceof Uint8Array ? Buffer.from(value).toString() : JSON.stringify(value);
};

/** True if an event is one of the server's own, which $all contains too. */
export const isSystemEvent = ({ streamId, type }: AllStreamRecordedEvent): boolean =>
  type.startsWith('$') || streamId.startsWith('$');
