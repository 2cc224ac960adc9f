import { catalogue } from '../../src/domain/catalogue.js';
import { type CommandContext, EventCodec } from '../../src/event-store/codec.js';
import { goldenName, goldenNames, goldenPlace, goldenText, parseGolden, readGolden, writeIfMissing } from './golden.js';
import { samples } from './samples.js';

/**
 * Every stored event must stay readable. A golden file is an event as a store holds it; it is added with its type or
 * version and never changed. After the sample of a new type or version was added, `WRITE_GOLDEN=1` writes the missing
 * files, which are then reviewed and committed.
 */
const codec = new EventCodec(catalogue);
const context: CommandContext = {
  commandId: '0195931f-3c00-7000-a000-000000000000',
  at: 1_741_953_600_123,
  actor: 'owner:own_0195931f3c007000a000000000000001',
  requestId: 'req_0195931f3c007000a000000000000007',
  causationId: 'cause',
  correlationId: 'story',
  clientAddress: '203.0.113.7',
};
const types = Object.entries(catalogue).map(([type, { version }]) => ({ type, version }));
const goldenFiles = types.flatMap(({ type, version }) =>
  Array.from({ length: version }, (_, i) => ({ type, version: i + 1, name: goldenName(type, i + 1) })),
);
const encodeCurrent = (type: string) =>
  goldenText(codec.encode({ type, data: samples[type]?.at(-1) }, 0, goldenPlace(type), context).event);

beforeAll(() => {
  if (!process.env.WRITE_GOLDEN) return;
  for (const { type, version } of types) writeIfMissing(goldenName(type, version), encodeCurrent(type));
});

describe('the golden files', () => {
  it('exist for every type and version of the catalogue, and for nothing else', () =>
    expect(goldenNames()).toEqual(goldenFiles.map(({ name }) => name).sort()));

  it('have one sample each', () =>
    expect(Object.fromEntries(Object.entries(samples).map(([type, { length }]) => [type, length]))).toEqual(
      Object.fromEntries(types.map(({ type, version }) => [type, version])),
    ));

  it.each(goldenFiles)('$name decodes to the event that was written', ({ type, version, name }) => {
    const { at, actor, requestId, causationId, correlationId, clientAddress } = context;
    const stored = parseGolden(readGolden(name));
    expect(codec.decode(stored)).toStrictEqual({
      stream: `golden-${type}`,
      revision: 0n,
      position: 1n,
      id: stored.id,
      type,
      version,
      at,
      actor,
      requestId,
      causationId,
      correlationId,
      clientAddress,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      data: samples[type]?.[version - 1],
    });
  });

  it.each(goldenFiles)('$name has a valid hash', ({ name }) =>
    expect(codec.verifyHash(parseGolden(readGolden(name)), '')).toBe(true),
  );

  it.each(types)('$type is encoded as in its newest golden file, byte for byte', ({ type, version }) =>
    expect(encodeCurrent(type)).toBe(readGolden(goldenName(type, version))),
  );
});
