import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { idText, Is } from '../rules.js';

/** Body of POST /sagas/{name}/skip. */
export class SkipSagaBody {
  /**
   * Position of the event, as `error.position` of the saga shows it: no other event is left out, even if the call is repeated.
   * Default: the event at which the saga stands.
   */
  @Is.matching(/^\d{1,19}$/, 'a position, as error.position of the saga shows it')
  readonly position: string | undefined;
  /** Reason for which the event may be left out; it stays in the history. */
  @Is.name()
  @Must.bePresent('why the event may be left out')
  readonly reason: string;

  constructor(sent: Sent) {
    this.position = idText(sent.position) as string | undefined;
    this.reason = nullToAbsent(sent.reason) as string;
  }
}
