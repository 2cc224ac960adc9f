import { nullToAbsent } from '../../validation/absence.js';
import type { Sent } from '../../validation/check-fields.js';
import { LIMITS } from '../../payload/payload.js';
import { Must } from '../../validation/rules.js';
import { Is } from './rules.js';

/** Body of …/pause. Zero is rejected, because it would pause nothing (D-47). */
export class PauseBody {
  @Is.integer(1, LIMITS.pauseMinutes)
  @Must.bePresent(`how long, from 1 to ${LIMITS.pauseMinutes}`)
  readonly minutes: number;

  constructor(sent: Sent) {
    this.minutes = nullToAbsent(sent.minutes) as number;
  }
}

/** Body of a POST that has no fields. */
export class EmptyBody {}
