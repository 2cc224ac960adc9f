import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { isCursorOf, PageQuery } from '../page.js';
import { Is } from '../rules.js';

/** The query of a channel's receipts (D-37). */
export class ReceiptsQuery extends PageQuery {
  @isCursorOf('sequence')
  declare readonly cursor: string | undefined;

  /** First sequence number, inclusive. */
  @Is.matching(/^\d{1,15}$/, 'a sequence number')
  readonly from: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.from = nullToAbsent(sent.from) as string | undefined;
  }
}
