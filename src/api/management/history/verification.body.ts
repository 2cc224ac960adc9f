import { AGGREGATE_NAMES } from '../../../history/aggregates/catalogue.js';
import { Must } from '../../../validation/rules.js';
import { ID_PATTERN } from '../id.pipe.js';

/** Matches any string of 1 to 4,096 UTF-16 units. */
const CHECKPOINT = /^[^]{1,4096}$/;

/** Body of POST /history/verify. Without fields, everything is verified. */
export class VerificationBody {
  /** Only the events of aggregates of this type. */
  @Must.beOneOf([...AGGREGATE_NAMES])
  readonly aggregate: string | undefined;

  /** Only the events of the aggregate with this id; requires `aggregate`. */
  @Must.match(ID_PATTERN, 'an id such as ep_…')
  readonly id: string | undefined;

  /** An earlier checkpoint, to check that the log still extends it. */
  @Must.match(CHECKPOINT, 'a checkpoint as GET /history/log/checkpoint returned it')
  readonly checkpoint: string | undefined;
}
