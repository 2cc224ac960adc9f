import { Must } from '../../../validation/rules.js';

/** Query parameters of an export. */
export class ExportQuery {
  /** Only lines after this position. To continue an interrupted export, send the position of its last line. */
  @Must.match(/^(-1|\d{1,19})$/, 'a position from a line of an export')
  readonly after: string | undefined;

  /** Includes the secrets, which only this gateway's SECRETS_KEY can open. */
  @Must.beOneOf(['sealed'])
  readonly secrets: string | undefined;
}
