import { AGGREGATE_NAMES } from '../../../history/aggregates/catalogue.js';
import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { ID_PATTERN } from '../id.pipe.js';
import { Is } from '../rules.js';

/** Longest text that is read as a checkpoint. */
const CHECKPOINT = /^[^]{1,4096}$/;

/** Body of POST /history/verify. Without fields everything is verified. */
export class VerificationBody {
  /** Only the events of such aggregates. */
  @Must.beOneOf([...AGGREGATE_NAMES])
  readonly aggregate: string | undefined;

  /** Only the events of this one; needs `aggregate`. */
  @Is.matching(ID_PATTERN, 'an id such as ep_…')
  readonly id: string | undefined;

  /** A checkpoint of the past: is the log still the one that it names? */
  @Is.matching(CHECKPOINT, 'a checkpoint as GET /history/log/checkpoint gave it')
  readonly checkpoint: string | undefined;

  constructor(sent: Sent) {
    this.aggregate = nullToAbsent(sent.aggregate) as string | undefined;
    this.id = nullToAbsent(sent.id) as string | undefined;
    this.checkpoint = nullToAbsent(sent.checkpoint) as string | undefined;
  }
}
