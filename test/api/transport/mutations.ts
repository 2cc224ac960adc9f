import fc from 'fast-check';

/** Valid payloads, from which mutations start. */
const payload = fc.record(
  {
    text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    entities: fc.array(
      fc.record({ type: fc.constantFrom('bold', 'pre', 'text_link'), offset: fc.nat(9), length: fc.nat(9) }),
    ),
    media: fc.array(
      fc.record({ type: fc.constantFrom('photo', 'video'), url: fc.constant('https://example.com/a.jpg') }),
    ),
    buttons: fc.array(fc.array(fc.record({ text: fc.string(), url: fc.constant('https://example.com/') }))),
    is_advertisement: fc.boolean(),
    ad_pause_minutes: fc.integer({ min: 0, max: 3 }),
    targets: fc.array(fc.record({ id: fc.constantFrom('tgt_unknown', '') })),
    external_id: fc.string(),
    trace_id: fc.string(),
    metadata: fc.dictionary(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: ['text'] },
);

/** Tokens that break parsers: numbers, escapes, keys, unbalanced brackets. */
const TOKENS = [
  ...['1e999', '-0', '1e-400', '0x10', '01', 'NaN', '-', '9007199254740993', '9'.repeat(400)],
  ...['"\\ud83d"', '"\\u0000"', '"\\udc00\\ud800"', '"\\x41"', '"', '\\', '\u2028', '\ufeff', '\u0000', '\u202e'],
  ...['"__proto__":{},', '"constructor":{"prototype":{}},', '"text":"twice",', '"te\\u0078t":1,', '"":"",'],
  ...['null', 'true', '[]', '{}', '[', ']', '{', '}', ',', ':', '//', '/**/', '['.repeat(40), '{"a":'.repeat(40)],
];

type Mutation = (bytes: Buffer) => Buffer;

const indexAt = (share: number, { length }: Buffer): number => Math.floor(share * length);
const splice = (bytes: Buffer, from: number, to: number, insert: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(to)]);

const place = fc.double({ min: 0, max: 1, noNaN: true });
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.nat(255)).map(
    ([p, byte]): Mutation =>
      (b) =>
        splice(b, indexAt(p, b), indexAt(p, b) + 1, Buffer.of(byte)),
  ),
  fc.tuple(place, fc.nat(7)).map(([p, bit]): Mutation => (b) => {
    const i = Math.min(indexAt(p, b), b.length - 1);
    return b.length === 0 ? b : splice(b, i, i + 1, Buffer.of(b[i]! ^ (1 << bit)));
  }),
  fc.tuple(place, fc.constantFrom(...TOKENS)).map(
    ([p, t]): Mutation =>
      (b) =>
        splice(b, indexAt(p, b), indexAt(p, b), Buffer.from(t)),
  ),
  fc.tuple(place, fc.uint8Array({ maxLength: 8 })).map(
    ([p, junk]): Mutation =>
      (b) =>
        splice(b, indexAt(p, b), indexAt(p, b), junk),
  ),
  fc.tuple(place, fc.nat(20)).map(
    ([p, n]): Mutation =>
      (b) =>
        splice(b, indexAt(p, b), indexAt(p, b) + n, Buffer.of()),
  ),
  fc.tuple(place, fc.nat(40)).map(
    ([p, n]): Mutation =>
      (b) =>
        splice(b, indexAt(p, b), indexAt(p, b), b.subarray(indexAt(p, b), indexAt(p, b) + n)),
  ),
  place.map(
    (p): Mutation =>
      (b) =>
        b.subarray(0, indexAt(p, b)),
  ),
);

/** A payload with one field of an unexpected type. It is still JSON, so that it passes the parser. */
const wrongField = fc
  .tuple(
    payload,
    fc.constantFrom('text', 'entities', 'media', 'buttons', 'targets', 'metadata', 'external_id'),
    fc.jsonValue(),
  )
  .map(([valid, field, value]) => Buffer.from(JSON.stringify({ ...valid, [field]: value })));

const wrongBytes = fc
  .tuple(payload, fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([valid, mutations]) =>
    mutations.reduce<Buffer>((bytes, mutate) => mutate(bytes), Buffer.from(JSON.stringify(valid))),
  );

/** A mutated publish body. Some are still valid. */
export const mutatedBody: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 3, arbitrary: wrongBytes },
  { weight: 1, arbitrary: wrongField },
);
