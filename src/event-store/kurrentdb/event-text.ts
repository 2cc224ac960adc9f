import { type AllStreamRecordedEvent, type EventData, type RecordedEvent } from '@kurrent/kurrentdb-client';
import type { NewEvent, StoredEvent } from '../port.js';

/**
 * The client takes and gives values, where the port has text whose every byte counts (hashes are taken over it).
 * Text as `JSON.stringify` writes it comes back from parsing and writing unchanged, so it goes as JSON, which the
 * server's own pages can show; any other text is kept as it is: data as bytes, metadata as a string within JSON,
 * because metadata are parsed whatever they are.
 */
const isCanonical = (text: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
};

/** The name under which metadata that are not canonical are kept. */
const EXACT = 'exact_text';

const isWrapped = (metadata: unknown): metadata is { readonly [EXACT]: string } =>
  typeof metadata === 'object' && metadata !== null && Object.keys(metadata).join() === EXACT;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** An event as the client appends it. */
export const toEventData = ({ id, type, data, metadata }: NewEvent): EventData => {
  const plain = isCanonical(metadata) && !isWrapped(JSON.parse(metadata));
  const metadataBytes = bytes(plain ? metadata : JSON.stringify({ [EXACT]: metadata }));
  return isCanonical(data)
    ? { id, type, contentType: 'application/json', data: JSON.parse(data) as [], metadata: metadataBytes }
    : { id, type, contentType: 'application/octet-stream', data: bytes(data), metadata: metadataBytes };
};

/** An event as the client reads it; also one that another program has written, as well as it goes. */
export const toStoredEvent = (event: RecordedEvent | AllStreamRecordedEvent): StoredEvent => ({
  id: event.id,
  type: event.type,
  stream: event.streamId,
  revision: event.revision,
  position: event.position?.commit ?? 0n,
  data: text(event.data),
  metadata: isWrapped(event.metadata) ? event.metadata[EXACT] : text(event.metadata),
});

const text = (value: unknown): string => {
  if (value === undefined) return '';
  return value instanceof Uint8Array ? Buffer.from(value).toString() : JSON.stringify(value);
};

/** Whether an event is one of the server's own, which share $all with everybody's. */
export const isSystemEvent = ({ streamId, type }: AllStreamRecordedEvent): boolean =>
  type.startsWith('$') || streamId.startsWith('$');
