import { nullToAbsent } from '../../validation/absence.js';
import type { Sent } from '../../validation/check-fields.js';
import { Must } from '../../validation/rules.js';

/** The query of a DELETE of what others may name. */
export class CascadeQuery {
  /** `true`: take it out of those that name it. Default `false`: 409 if any does. */
  @Must.beOneOf(['true', 'false'])
  readonly cascade: 'true' | 'false' | undefined;

  constructor(sent: Sent) {
    this.cascade = nullToAbsent(sent.cascade) as 'true' | 'false' | undefined;
  }
}

/** The query of a DELETE of what nothing names: it has no fields. */
export class NoQuery {}
