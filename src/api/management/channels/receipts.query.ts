import { Must } from '../../../validation/rules.js';
import { isCursorOf, PageQuery } from '../../transport/page.js';

/** Query parameters of a channel's receipts (D-37). */
export class ReceiptsQuery extends PageQuery {
  @isCursorOf('sequence')
  declare readonly cursor: string | undefined;

  /** First sequence number, inclusive. */
  @Must.match(/^\d{1,15}$/, 'a sequence number')
  readonly from: string | undefined;
}
