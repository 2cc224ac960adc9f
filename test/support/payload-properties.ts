import fc from 'fast-check';
import type { TextWithEntities } from '../../src/payload/entities.js';
import { type Entity, ENTITY_TYPES, MEDIA_TYPES, type PublishPayload } from '../../src/payload/payload.js';
import { findEntityProblems } from '../../src/payload/read-lists.js';
import { isVisible } from '../../src/validation/text-measure.js';

/** Text fragments that cover the characters, grapheme clusters, words and writing directions of real text. */
const PIECES = [
  'word',
  'дом',
  'a',
  ' ',
  '  ',
  '\n',
  '\r\n',
  '\u00a0',
  '.',
  '😀',
  '👨‍👩‍👧‍👦',
  '👍🏽',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '🇫🇷',
  '🇫',
  'e\u0301',
  '\u0301',
  '\u200d',
  '\ufe0f',
  'שלום',
  'مرحبا',
  '\u0600',
  'क्षि',
  '\u1100\u1161\u11a8',
  '漢字',
  '\u202e',
];

/** Well-formed text of up to about 200 units, with many clusters that must not be split. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme', maxLength: 6 })), { maxLength: 40 })
  .map((pieces) => pieces.join(''));

/** Text with correctly placed and nested entities, in no particular order. */
export const anyTextWithEntities: fc.Arbitrary<TextWithEntities> = anyText.chain((text) => {
  const entity = fc
    .record({
      type: fc.constantFrom(...ENTITY_TYPES),
      offset: fc.nat(Math.max(0, text.length - 1)),
      length: fc.integer({ min: 1, max: Math.max(1, text.length) }),
    })
    .map((raw): Entity => raw);
  return fc.array(entity, { maxLength: 12 }).map((candidates) => ({
    text,
    entities: candidates.reduce<Entity[]>((placed, candidate) => {
      const more = [...placed, candidate];
      return findEntityProblems(text, more).length === 0 ? more : placed;
    }, []),
  }));
});

const anyUrlPart = fc.string({ unit: 'grapheme', maxLength: 8 }).map(encodeURIComponent);

/** Built from parts, because `fc.webUrl` takes half a second to build. */
const anyUrl = fc
  .tuple(fc.domain(), fc.array(anyUrlPart, { maxLength: 4 }), fc.option(anyUrlPart))
  .map(([host, path, query]) => `https://${[host, ...path].join('/')}${query === null ? '' : `?${query}`}`)
  .filter((url) => url.length <= 2_048);

const anyMedia = fc.record({ type: fc.constantFrom(...MEDIA_TYPES), url: anyUrl });
const anyButton = fc.record({
  text: anyText.filter(isVisible),
  url: fc.oneof(anyUrl, fc.constant('tg://resolve?domain=a')),
});

const anyMetadata = fc
  .dictionary(fc.string(), fc.jsonValue())
  .filter((fields) => !JSON.stringify(fields).includes('__proto__'));

/** A valid payload with any combination of parts. */
export const anyPayload: fc.Arbitrary<PublishPayload> = fc
  .record(
    {
      formatted: anyTextWithEntities,
      media: fc.array(anyMedia, { maxLength: 10 }),
      buttons: fc.array(fc.array(anyButton, { maxLength: 8 }), { maxLength: 8 }),
      is_advertisement: fc.boolean(),
      ad_pause_minutes: fc.integer({ min: 0, max: 1_440 }),
      ad_target_pause_minutes: fc.integer({ min: 0, max: 1_440 }),
      targets: fc.array(fc.record({ id: fc.uuid().map((id) => `tgt_${id}`) }), { maxLength: 5 }),
      external_id: fc.string({ unit: 'grapheme', maxLength: 20 }),
      trace_id: fc.string({ unit: 'grapheme', maxLength: 20 }),
      metadata: anyMetadata,
    },
    { requiredKeys: ['formatted'] },
  )
  .filter(({ formatted: { text } }) => isVisible(text))
  .map(({ formatted, ...rest }) => {
    const entities = formatted.entities.map((entity) => ({
      ...entity,
      ...(entity.type === 'text_link' && { url: 'https://example.org/' }),
      ...(entity.type === 'custom_emoji' && { custom_emoji_id: '5368324170671202286' }),
    }));
    return { text: formatted.text, entities, ...rest };
  });
