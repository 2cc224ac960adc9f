import type { Inspection } from './inspector.js';
import { findMediaProblem, findSumProblem, maxBytesOf } from './media-rules.js';

const MB = 1_048_576;

const photo = (inspection: Partial<Inspection>) =>
  findMediaProblem('photo', {
    sizeBytes: 1_000,
    inspection: { extension: 'png', mime: 'image/png', ...inspection },
    isComplete: true,
  });

it('limits each type (publish-api.md: Limits)', () => {
  expect(maxBytesOf('photo')).toBe(20 * MB);
  expect(maxBytesOf('video')).toBe(2_048 * MB);
  expect(maxBytesOf('audio')).toBe(500 * MB);
});

it.each(['photo', 'video', 'audio'] as const)('judges the size of a file that could not be parsed: %s', (type) => {
  const sized = (sizeBytes: number | null) =>
    findMediaProblem(type, { sizeBytes, inspection: null, isComplete: false });
  expect(sized(null)).toBeUndefined();
  expect(sized(maxBytesOf(type))).toBeUndefined();
  expect(sized(maxBytesOf(type) + 1)).toMatchObject({ code: 'media_too_large' });
  expect(sized(0)).toMatchObject({ code: 'media_empty' });
});

it('reports the wrong type first, then the size, then the content', () => {
  const huge = { sizeBytes: 3_000 * MB, isComplete: true };
  const inspection = { extension: 'png', mime: 'image/png', width: 9_000, height: 9_000 };
  expect(findMediaProblem('video', { ...huge, inspection })).toMatchObject({ code: 'media_wrong_type' });
  expect(findMediaProblem('photo', { ...huge, inspection })).toMatchObject({ code: 'media_too_large' });
  expect(photo({ width: 9_000, height: 9_000 })).toMatchObject({ code: 'media_too_many_pixels' });
});

it('accepts formats under all their names', () => {
  expect(photo({ extension: 'apng', mime: 'image/apng' })).toBeUndefined();
  for (const extension of ['ogg', 'oga', 'opus', 'spx', 'm4a', 'm4b', 'mp3'])
    expect(
      findMediaProblem('audio', { sizeBytes: 1, inspection: { extension, mime: 'audio/x' }, isComplete: true }),
    ).toBeUndefined();
});

it('reports nothing about incompletely read tracks', () => {
  const unseen = { extension: 'mp4', mime: 'video/mp4', hasVideo: false, hasAudio: true, needs: 70_000 };
  const known = { sizeBytes: 100_000, inspection: unseen };
  for (const type of ['audio', 'video'] as const)
    expect(findMediaProblem(type, { ...known, isComplete: false })).toBeUndefined();
  expect(findMediaProblem('audio', { ...known, isComplete: true })).toBeUndefined();
  expect(findMediaProblem('video', { ...known, isComplete: true })).toMatchObject({ code: 'media_wrong_type' });
});

it('counts only known sizes towards 4 GB', () => {
  const half = { sizeBytes: 2_048 * MB };
  expect(findSumProblem([])).toBeUndefined();
  expect(findSumProblem([half, half, { sizeBytes: null }])).toBeUndefined();
  expect(findSumProblem([half, half, { sizeBytes: 1 }])).toEqual({
    code: 'media_sum_too_large',
    predicate:
      'have a total of 4096 MB (4,294,967,297 bytes); at most 4096 MB (4,294,967,296 bytes) are allowed: send fewer or smaller files',
  });
});
