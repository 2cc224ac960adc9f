import { given } from '../../payload/absence.js';
import type { Sent } from '../../payload/check-fields.js';
import { PageQuery } from '../page.js';
import { Is } from '../rules.js';

/** The query of a channel's receipts (D-37). */
export class ReceiptsQuery extends PageQuery {
  /** First sequence number, inclusive. */
  @Is.like(/^\d{1,15}$/, 'a sequence number')
  readonly from: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.from = given(sent.from) as string | undefined;
  }
}
