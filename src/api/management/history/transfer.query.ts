import { Must } from '../../../validation/rules.js';

/** Query parameters of an export. */
export class ExportQuery {
  /** Only lines after this position: an interrupted export continues after its last line. */
  @Must.match(/^(-1|\d{1,19})$/, 'a position, as the lines of an export have it')
  readonly after: string | undefined;

  /** Includes the secrets, which only this gateway's SECRETS_KEY can open. */
  @Must.beOneOf(['sealed'])
  readonly secrets: string | undefined;
}
