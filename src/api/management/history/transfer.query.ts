import { Must } from '../../../validation/rules.js';

/** Query parameters of an export. */
export class ExportQuery {
  /** Only lines after this position. To resume an interrupted export, send the position of its last line. */
  @Must.match(/^(-1|\d{1,19})$/, 'a position from a line of an export')
  readonly after: string | undefined;

  /** Includes the secrets, which can only be decrypted with this gateway's SECRETS_KEY. */
  @Must.beOneOf(['sealed'])
  readonly secrets: string | undefined;
}
