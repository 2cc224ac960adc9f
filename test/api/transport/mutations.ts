import fc from 'fast-check';

/** Payloads as honest clients send them: what mutations start from. */
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
    targets: fc.array(fc.record({ id: fc.constantFrom('tgt_nobody', '') })),
    external_id: fc.string(),
    trace_id: fc.string(),
    metadata: fc.dictionary(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: ['text'] },
);

/** What breaks parsers: numbers, escapes, keys, ends of things. */
const TOKENS = [
  ...['1e999', '-0', '1e-400', '0x10', '01', 'NaN', '-', '9007199254740993', '9'.repeat(400)],
  ...['"\\ud83d"', '"\\u0000"', '"\\udc00\\ud800"', '"\\x41"', '"', '\\', '\u2028', '\ufeff', '\u0000', '\u202e'],
  ...['"__proto__":{},', '"constructor":{"prototype":{}},', '"text":"twice",', '"te\\u0078t":1,', '"":"",'],
  ...['null', 'true', '[]', '{}', '[', ']', '{', '}', ',', ':', '//', '/**/', '['.repeat(40), '{"a":'.repeat(40)],
];

type Mutation = (bytes: Buffer) => Buffer;

const at = (share: number, { length }: Buffer): number => Math.floor(share * length);
const splice = (bytes: Buffer, from: number, to: number, insert: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(to)]);

const place = fc.double({ min: 0, max: 1, noNaN: true });
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.nat(255)).map(
    ([p, byte]): Mutation =>
      (b) =>
        splice(b, at(p, b), at(p, b) + 1, Buffer.of(byte)),
  ),
  fc.tuple(place, fc.nat(7)).map(([p, bit]): Mutation => (b) => {
    const i = Math.min(at(p, b), b.length - 1);
    return b.length === 0 ? b : splice(b, i, i + 1, Buffer.of(b[i]! ^ (1 << bit)));
  }),
  fc.tuple(place, fc.constantFrom(...TOKENS)).map(
    ([p, t]): Mutation =>
      (b) =>
        splice(b, at(p, b), at(p, b), Buffer.from(t)),
  ),
  fc.tuple(place, fc.uint8Array({ maxLength: 8 })).map(
    ([p, junk]): Mutation =>
      (b) =>
        splice(b, at(p, b), at(p, b), junk),
  ),
  fc.tuple(place, fc.nat(20)).map(
    ([p, n]): Mutation =>
      (b) =>
        splice(b, at(p, b), at(p, b) + n, Buffer.of()),
  ),
  fc.tuple(place, fc.nat(40)).map(
    ([p, n]): Mutation =>
      (b) =>
        splice(b, at(p, b), at(p, b), b.subarray(at(p, b), at(p, b) + n)),
  ),
  place.map(
    (p): Mutation =>
      (b) =>
        b.subarray(0, at(p, b)),
  ),
);

/** A payload with one field of a type that nobody expects: JSON still, so that it gets past the parser. */
const wrongField = fc
  .tuple(
    payload,
    fc.constantFrom('text', 'entities', 'media', 'buttons', 'targets', 'metadata', 'external_id'),
    fc.jsonValue(),
  )
  .map(([honest, field, value]) => Buffer.from(JSON.stringify({ ...honest, [field]: value })));

const wrongBytes = fc
  .tuple(payload, fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([honest, mutations]) =>
    mutations.reduce<Buffer>((bytes, mutate) => mutate(bytes), Buffer.from(JSON.stringify(honest))),
  );

/** A publish body that has been tampered with; now and then it is still a valid one. */
export const mutatedBody: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 3, arbitrary: wrongBytes },
  { weight: 1, arbitrary: wrongField },
);
