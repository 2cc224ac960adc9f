import { given } from '../../validation/absence.js';
import type { Sent } from '../../validation/check-fields.js';
import { LIMITS } from '../../payload/payload.js';
import { Must } from '../../validation/rules.js';
import { Is } from './rules.js';

/** Body of …/pause. Zero is refused: it would pause nothing (D-47). */
export class PauseDraft {
  @Is.integer(1, LIMITS.pauseMinutes)
  @Must.bePresent(`how long, from 1 to ${LIMITS.pauseMinutes}`)
  readonly minutes: number;

  constructor(sent: Sent) {
    this.minutes = given(sent.minutes) as number;
  }
}

/** Body of a POST that needs none. */
export class NoFields {}
