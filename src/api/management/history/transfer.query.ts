import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { Is } from '../rules.js';

/** The query of an export. */
export class ExportQuery {
  /** Only what follows this position: an export that was broken off goes on after its last line. */
  @Is.matching(/^(-1|\d{1,19})$/, 'a position, as the lines of an export have it')
  readonly after: string | undefined;

  /** With the secrets, which the SECRETS_KEY of this gateway alone opens. */
  @Must.beOneOf(['sealed'])
  readonly secrets: string | undefined;

  constructor(sent: Sent) {
    this.after = nullToAbsent(sent.after) as string | undefined;
    this.secrets = nullToAbsent(sent.secrets) as string | undefined;
  }
}
