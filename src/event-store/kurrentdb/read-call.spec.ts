import fc from 'fast-check';
import { isSystemEvent, toPlainMetadata, toWireEvent } from './read-call.js';

const event = (data: string, metadata = '{}') => ({ id: 'e', type: 'Happened', data, metadata });
const send = (data: string, metadata?: string) => toWireEvent(event(data, metadata));

describe('the text of an event', () => {
  it('does not change in a round trip, whatever JSON it contains and however it is formatted', () => {
    const canonical = fc.json();
    const spaced = fc.jsonValue().map((value) => JSON.stringify(value, null, 2));
    const escaped = canonical.map((text) => text.replace(/[a-z]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`));
    const texts = fc.oneof(canonical, spaced, escaped, fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(texts, texts, (data, metadata) => {
        const sent = send(data, metadata);
        expect([sent.data, toPlainMetadata(sent.metadata)]).toEqual([data, metadata]);
      }),
    );
  });

  it('is sent as JSON if other clients do not change it, and metadata always', () => {
    expect(send('{"a":1}')).toMatchObject({ isJson: true, data: '{"a":1}' });
    expect(send('{"a": 1}')).toMatchObject({ isJson: false, data: '{"a": 1}' });
    expect(JSON.parse(send('{}', 'no JSON').metadata)).toEqual({ exact_text: 'no JSON' });
  });

  it('does not unwrap metadata that only look wrapped', () => {
    const metadata = '{"exact_text":"x"}';
    expect(toPlainMetadata(send('{}', metadata).metadata)).toBe(metadata);
    expect(toPlainMetadata('{"exact_text"')).toBe('{"exact_text"');
  });
});

describe('a system event', () => {
  it.each([
    ['$statsCollected', '$stats-1', true],
    ['PersistentConfig1', '$persistentSubscriptionConfig', true],
    ['$metadata', 'case-1', true],
    ['Happened', 'case-1', false],
    ['Paid$', 'case-$1', false],
  ])('%s in %s: %s', (type, stream, expected) => {
    expect(isSystemEvent({ type, stream })).toBe(expected);
  });
});
