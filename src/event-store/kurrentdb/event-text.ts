import type { NewEvent, StoredEvent } from '../port.js';

/**
 * True if parsing the text as JSON and serialising it again yields the same text. The client works with parsed values,
 * but the text must be kept byte for byte, because hashes cover it. Text in `JSON.stringify` form is sent as JSON,
 * which the server's own web pages can display. Any other text is sent unchanged: data as bytes, metadata as a string
 * within JSON, because the client always parses metadata.
 */
const isCanonical = (text: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
};

/** Key that holds metadata whose text is not canonical JSON. */
const EXACT_TEXT_KEY = 'exact_text';

const WRAPPED_START = `{"${EXACT_TEXT_KEY}"`;

const isWrapped = (metadata: unknown): metadata is { readonly [EXACT_TEXT_KEY]: string } =>
  typeof metadata === 'object' && metadata !== null && Object.keys(metadata).join() === EXACT_TEXT_KEY;

/** An event as sent to the server: canonical data as JSON, any other data as bytes. `metadata` may be wrapped. */
export interface WireEvent extends Omit<NewEvent, 'isCanonical'> {
  readonly isJson: boolean;
}

/** Converts an event to the form that is sent to the server. */
export const toWireEvent = ({ id, type, data, metadata, isCanonical: isKnown }: NewEvent): WireEvent => {
  if (isKnown) return { id, type, isJson: true, data, metadata };
  const isPlain = isCanonical(metadata) && !(metadata.startsWith(WRAPPED_START) && isWrapped(JSON.parse(metadata)));
  return {
    id,
    type,
    isJson: isCanonical(data),
    data,
    metadata: isPlain ? metadata : JSON.stringify({ [EXACT_TEXT_KEY]: metadata }),
  };
};

/** Returns the metadata of an event exactly as it was appended. */
export const toPlainMetadata = (text: string): string => {
  if (!text.startsWith(WRAPPED_START)) return text;
  try {
    const metadata: unknown = JSON.parse(text);
    return isWrapped(metadata) ? metadata[EXACT_TEXT_KEY] : text;
  } catch {
    return text; // written by another program
  }
};

/** True for one of the server's own events, which $all also contains. */
export const isSystemEvent = ({ stream, type }: Pick<StoredEvent, 'stream' | 'type'>): boolean =>
  type.startsWith('$') || stream.startsWith('$');
