import { given } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { cursorOf, PageQuery } from '../page.js';
import { Is } from '../rules.js';

/** The query of a channel's receipts (D-37). */
export class ReceiptsQuery extends PageQuery {
  @cursorOf('sequence')
  declare readonly cursor: string | undefined;

  /** First sequence number, inclusive. */
  @Is.like(/^\d{1,15}$/, 'a sequence number')
  readonly from: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.from = given(sent.from) as string | undefined;
  }
}
