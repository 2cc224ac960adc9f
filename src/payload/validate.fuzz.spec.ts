import fc from 'fast-check';
import { anyPayload } from '../../test/support/payload-properties.js';
import { parseJsonBody } from '../validation/json-body.js';
import { findEntityProblems } from './read-lists.js';
import { validatePayload, validateTempPause, validateTempResume } from './validate.js';

/** A path into a value (each step modulo the number of members), and the change to make there. */
const anyMutation = fc.record({
  steps: fc.array(fc.nat(), { maxLength: 5 }),
  change: fc.constantFrom('replace', 'remove', 'add', 'repeat'),
  key: fc.constantFrom('text', 'type', 'url', 'offset', 'length', 'id', 'constructor', 'toString', 'x'),
  value: fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(-1, 0, 0.5, 1e308, 2 ** 53, '', ' ', 'document', 'https://127.0.0.1/', 'x'.repeat(20_000)),
  ),
});
type Mutation = typeof anyMutation extends fc.Arbitrary<infer M> ? M : never;

const mutate = (value: unknown, { steps, change, key, value: given }: Mutation): unknown => {
  const root = { body: structuredClone(value) };
  let holder: Record<string, unknown> = root;
  let last = 'body';
  for (const step of steps) {
    const inner = holder[last];
    if (typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0) break;
    const keys = Object.keys(inner);
    holder = inner as Record<string, unknown>;
    last = keys[step % keys.length] ?? last;
  }
  const there = holder[last];
  if (change === 'remove' && holder !== root) delete holder[last];
  else if (change === 'add' && typeof there === 'object' && there !== null && !Array.isArray(there))
    holder[last] = { ...there, [key]: given };
  else if (change === 'repeat' && Array.isArray(there)) holder[last] = Array(12).fill(there).flat();
  else holder[last] = given;
  return root.body;
};

/** Returns the value as a client could send it; undefined if JSON cannot express it. */
const sent = (value: unknown): unknown => {
  const body = parseJsonBody(Buffer.from(JSON.stringify(value) ?? ''));
  return body.ok ? body.value : undefined;
};

/** Asserts that a payload is either valid and ready to be stored, or refused with reasons. */
const isAnswered = (value: unknown): void => {
  const result = validatePayload(value);
  if (!result.ok) {
    expect([400, 422]).toContain(result.status);
    expect(result.problems.length).toBeGreaterThan(0);
    expect(result.problems.length).toBeLessThanOrEqual(50);
    for (const { path, code, message } of result.problems) {
      expect(code).toMatch(/^[a-z_]+$/);
      expect(message.startsWith(path.replace(/\.(offset|length)$/, '') || 'the body')).toBe(true);
      expect(message.length).toBeLessThan(400);
    }
    return;
  }
  const { payload } = result;
  expect(JSON.parse(JSON.stringify(payload))).toEqual(payload);
  expect(Boolean(payload.text ?? payload.media ?? payload.buttons)).toBe(true);
  expect(findEntityProblems(payload.text ?? '', payload.entities ?? [])).toEqual([]);
  expect(validatePayload(payload)).toEqual(result);
};

describe('validatePayload, for any input', () => {
  it('accepts every valid payload', () => {
    fc.assert(
      fc.property(anyPayload, (payload) => {
        expect(validatePayload(sent(payload))).toMatchObject({ ok: true });
        isAnswered(sent(payload));
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  it('returns a result for any JSON and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => isAnswered(sent(value))),
      { seed: 6, numRuns: 500 },
    );
  });

  it('returns a result for mutated valid payloads and never throws', () => {
    const mutants = fc
      .tuple(anyPayload, fc.array(anyMutation, { minLength: 1, maxLength: 4 }))
      .map(([payload, mutations]) => sent(mutations.reduce<unknown>(mutate, payload)));
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(mutants, (value) => {
        isAnswered(value);
        const result = validatePayload(value);
        outcomes.add(result.ok ? 'ok' : String(result.status));
        expect([validateTempPause(value).ok, validateTempResume(value).ok]).toHaveLength(2);
      }),
      { seed: 6, numRuns: 2_000 },
    );
    // The mutations must lead to every kind of result.
    expect([...outcomes].sort()).toEqual(['400', '422', 'ok']);
  });
});
