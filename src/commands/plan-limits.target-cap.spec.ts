import { newId } from '../kernel/ids.js';
import { isRejection } from '../kernel/result.js';
import { STORED_APART_BYTES } from '../payload/payload.js';
import { MAX_TARGETS, rejectTooManyTargets } from './plan-limits.js';

describe('the cap on targets of a post (D-67)', () => {
  it.each<[number, number | null, number | null]>([
    [50, 50, null],
    [51, 50, 50],
    [MAX_TARGETS, null, null],
    [MAX_TARGETS + 1, null, MAX_TARGETS],
    [MAX_TARGETS + 1, MAX_TARGETS + 1, MAX_TARGETS],
  ])('for %i targets with a cap of %p allows %p', (addressed, cap, allowed) => {
    const rejection = rejectTooManyTargets(addressed, cap);
    expect(isRejection(rejection) ? rejection.figures : null).toEqual(
      allowed === null ? null : { targets: addressed, targets_per_post: allowed },
    );
  });

  it('lets the accepting event fit into one append of 1 MiB, with the largest payload in it (D-42)', () => {
    const targets = Array.from({ length: MAX_TARGETS }, () => ({
      publicationId: newId('pub'),
      channelId: newId('tgt'),
      projectId: newId('prj'),
      platform: 'telegram',
    }));
    const forEverythingElse = 16_384;
    const sealed = Math.ceil((STORED_APART_BYTES * 4) / 3); // in base64 (D-100)
    const bytes = Buffer.byteLength(JSON.stringify(targets)) + sealed + forEverythingElse;
    expect(bytes).toBeLessThan(1_048_576);
  });
});
