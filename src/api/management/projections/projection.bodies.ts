import { type Promotion, PROMOTIONS } from '../../../commands/projection/rebuild-projection.js';
import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { Is } from '../rules.js';

/** Body of POST /projections/{name}/rebuild. */
export class RebuildBody {
  /** `auto` (default): the rebuilt version becomes live once it is level; `manual`: it waits for POST /projections/{name}/promote. */
  @Must.beOneOf([...PROMOTIONS])
  readonly promote: Promotion;

  constructor(sent: Sent) {
    this.promote = (nullToAbsent(sent.promote) as Promotion | undefined) ?? 'auto';
  }
}

/** Body of POST /projections/{name}/skip. */
export class SkipBody {
  /** Reason for which the event may be left out; it stays in the history. */
  @Is.name()
  @Must.bePresent('why the event may be left out')
  readonly reason: string;

  constructor(sent: Sent) {
    this.reason = nullToAbsent(sent.reason) as string;
  }
}
