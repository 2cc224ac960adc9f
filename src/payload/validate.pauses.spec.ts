import { validateIdempotencyKey, validateTempPause, validateTempResume } from './validate.js';

const found = (
  result: ReturnType<typeof validateTempPause | typeof validateTempResume | typeof validateIdempotencyKey>,
) => (result.ok ? [] : result.problems.map(({ path, code }) => `${result.status} ${path} ${code}`));

describe('validateTempPause (D-21)', () => {
  it.each([
    [{ project_minutes: 1 }, { project_minutes: 1, target_minutes: 0, targets: [] }],
    [
      { target_minutes: 1_440, project_minutes: 0 },
      { project_minutes: 0, target_minutes: 1_440, targets: [] },
    ],
    [
      { target_minutes: 5, project_minutes: null, targets: ['tgt_b', 'tgt_a', 'tgt_b'], note: 'x' },
      { project_minutes: 0, target_minutes: 5, targets: ['tgt_b', 'tgt_a'] },
    ],
    [
      { target_minutes: 5, targets: null },
      { project_minutes: 0, target_minutes: 5, targets: [] },
    ],
  ])('accepts %j', (sent, body) => expect(validateTempPause(sent)).toEqual({ ok: true, body }));

  it.each([
    [{}, [' nothing_to_pause']],
    [{ project_minutes: 0, target_minutes: 0 }, [' nothing_to_pause']],
    [{ project_minutes: 1_441 }, ['project_minutes out_of_range']],
    [{ project_minutes: 10, target_minutes: -1 }, ['target_minutes out_of_range']],
    [{ target_minutes: 1.5 }, ['target_minutes wrong_type']],
    [{ target_minutes: '5' }, ['target_minutes wrong_type']],
    [{ target_minutes: 5, targets: 'tgt_a' }, ['targets wrong_type']],
    [
      { target_minutes: 5, targets: ['tgt_a', { id: 'tgt_b' }, ''] },
      ['targets[1] wrong_type', 'targets[2] wrong_type'],
    ],
    [{ targets: [1] }, ['targets[0] wrong_type', ' nothing_to_pause']],
    [[], [' wrong_type']],
    [null, [' wrong_type']],
  ])('refuses %j', (sent, problems) => {
    expect(found(validateTempPause(sent))).toEqual(problems.map((problem) => `422 ${problem}`));
  });
});

describe('validateTempResume (D-45)', () => {
  it.each([
    [{}, { scope: 'all', targets: [] }],
    [
      { scope: null, targets: [] },
      { scope: 'all', targets: [] },
    ],
    [{ scope: 'project' }, { scope: 'project', targets: [] }],
    [
      { scope: 'targets', targets: ['tgt_a', 'tgt_a'] },
      { scope: 'targets', targets: ['tgt_a'] },
    ],
  ])('accepts %j', (sent, body) => expect(validateTempResume(sent)).toEqual({ ok: true, body }));

  it.each([
    [{ scope: 'everything' }, ['scope unknown_value']],
    [{ scope: 1, targets: {} }, ['scope wrong_type', 'targets wrong_type']],
    [{ targets: [null] }, ['targets[0] wrong_type']],
    ['all', [' wrong_type']],
  ])('refuses %j', (sent, problems) => {
    expect(found(validateTempResume(sent))).toEqual(problems.map((problem) => `422 ${problem}`));
  });
});

describe('validateIdempotencyKey (D-43)', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['  ', undefined],
    ['a-1', 'a-1'],
    ['x'.repeat(128), 'x'.repeat(128)],
  ])('accepts %j', (header, key) => expect(validateIdempotencyKey(header)).toEqual({ ok: true, key }));

  it('refuses 129 characters', () => {
    expect(found(validateIdempotencyKey('x'.repeat(129)))).toEqual(['422 Idempotency-Key too_long']);
  });
});
