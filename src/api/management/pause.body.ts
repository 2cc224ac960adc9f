import { LIMITS } from '../../payload/payload.js';
import { Must } from '../../validation/rules.js';

/** Body of …/pause. Zero is rejected, because it would pause nothing (D-47). */
export class PauseBody {
  @Must.beWithin(1, LIMITS.pauseMinutes)
  @Must.bePresent(`how long, from 1 to ${LIMITS.pauseMinutes}`)
  readonly minutes!: number;
}

/** Body of a POST without fields. */
export class EmptyBody {}
