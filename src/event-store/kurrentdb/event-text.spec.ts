import type { AllStreamRecordedEvent, EventData } from '@kurrent/kurrentdb-client';
import fc from 'fast-check';
import { isSystemEvent, toEventData, toStoredEvent } from './event-text.js';

/** Converts an event as the client does on append and read: JSON is written and parsed, bytes stay bytes. */
const throughClient = ({ id, type, contentType, data, metadata }: EventData): AllStreamRecordedEvent => {
  const isJson = contentType === 'application/json';
  const position = { commit: 9n, prepare: 9n };
  const common = { id, type, streamId: 'case-1', revision: 3n, position, created: new Date(0), isJson };
  const sent = isJson ? (JSON.parse(JSON.stringify(data)) as unknown) : data;
  return { ...common, data: sent, metadata: parsed(metadata as Uint8Array) } as AllStreamRecordedEvent;
};

/** Parses metadata as the client does: whatever the content type is. If parsing fails, they stay bytes. */
const parsed = (metadata: Uint8Array): unknown => {
  if (metadata.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(metadata).toString());
  } catch {
    return metadata;
  }
};

const event = (data: string, metadata = '{}') => ({ id: 'e', type: 'Happened', data, metadata });

describe('the text of an event', () => {
  it('does not change in a round trip, whatever JSON it contains and however it is formatted', () => {
    const canonical = fc.json();
    const spaced = fc.jsonValue().map((value) => JSON.stringify(value, null, 2));
    const escaped = canonical.map((text) => text.replace(/[a-z]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`));
    const texts = fc.oneof(canonical, spaced, escaped, fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(texts, texts, (data, metadata) => {
        const { data: readData, metadata: readMetadata } = toStoredEvent(
          throughClient(toEventData(event(data, metadata))),
        );
        expect([readData, readMetadata]).toEqual([data, metadata]);
      }),
    );
  });

  it('is sent as JSON if that does not change it, so that people can read it on the server', () => {
    expect(toEventData(event('{"a":1}'))).toMatchObject({ contentType: 'application/json', data: { a: 1 } });
    expect(toEventData(event('{"a": 1}'))).toMatchObject({ contentType: 'application/octet-stream' });
  });

  it('does not unwrap metadata that only look wrapped', () => {
    const metadata = '{"exact_text":"x"}';
    expect(toStoredEvent(throughClient(toEventData(event('{}', metadata)))).metadata).toBe(metadata);
  });

  it('is read with its stream, revision and position', () => {
    expect(toStoredEvent(throughClient(toEventData(event('{}'))))).toEqual({
      ...event('{}'),
      stream: 'case-1',
      revision: 3n,
      position: 9n,
    });
  });
});

describe('a system event', () => {
  it.each([
    ['$statsCollected', '$stats-1', true],
    ['PersistentConfig1', '$persistentSubscriptionConfig', true],
    ['$metadata', 'case-1', true],
    ['Happened', 'case-1', false],
    ['Paid$', 'case-$1', false],
  ])('%s in %s: %s', (type, streamId, expected) => {
    expect(isSystemEvent({ ...throughClient(toEventData(event('{}'))), type, streamId })).toBe(expected);
  });
});
