import { catalogue } from '../../src/domain/catalogue.js';
import { EventCodec, type Execution } from '../../src/event-store/codec.js';
import { goldenName, goldenNames, goldenPlace, goldenText, readGolden, storedIn, writeIfMissing } from './golden.js';
import { samples } from './samples.js';

/**
 * Every event that was ever written must be readable for ever. A golden file is an event as a store holds it; it is
 * added with its type or version and never changed. After a new type or version has got its sample,
 * `WRITE_GOLDEN=1` adds the files that are missing, to be looked at and committed.
 */
const codec = new EventCodec(catalogue);
const execution: Execution = {
  commandId: '0195931f-3c00-7000-a000-000000000000',
  at: 1_741_953_600_123,
  actor: 'owner:own_0195931f3c007000a000000000000001',
  requestId: 'req_0195931f3c007000a000000000000007',
  causationId: 'cause',
  correlationId: 'story',
};
const types = Object.entries(catalogue).map(([type, { version }]) => ({ type, version }));
const written = types.flatMap(({ type, version }) =>
  Array.from({ length: version }, (_, i) => ({ type, version: i + 1, name: goldenName(type, i + 1) })),
);
const encodedToday = (type: string) =>
  goldenText(codec.encode({ type, data: samples[type]?.at(-1) }, 0, goldenPlace(type), execution).event);

beforeAll(() => {
  if (!process.env.WRITE_GOLDEN) return;
  for (const { type, version } of types) writeIfMissing(goldenName(type, version), encodedToday(type));
});

describe('the golden files', () => {
  it('are one for every type and version of the catalogue, and no more', () =>
    expect(goldenNames()).toEqual(written.map(({ name }) => name).sort()));

  it('have a sample each', () =>
    expect(Object.fromEntries(Object.entries(samples).map(([type, { length }]) => [type, length]))).toEqual(
      Object.fromEntries(types.map(({ type, version }) => [type, version])),
    ));

  it.each(written)('$name reads as the event that was written', ({ type, version, name }) => {
    const { at, actor, requestId, causationId, correlationId } = execution;
    const stored = storedIn(readGolden(name));
    expect(codec.decode(stored)).toStrictEqual({
      ...{ stream: `golden-${type}`, revision: 0n, position: 1n, id: stored.id, type, version },
      ...{ at, actor, requestId, causationId, correlationId, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      data: samples[type]?.[version - 1],
    });
  });

  it.each(written)('$name still proves that nothing in it was changed', ({ name }) =>
    expect(codec.verify(storedIn(readGolden(name)), '')).toBe(true),
  );

  it.each(types)('$type is written today as its newest golden file has it, byte for byte', ({ type, version }) =>
    expect(encodedToday(type)).toBe(readGolden(goldenName(type, version))),
  );
});
