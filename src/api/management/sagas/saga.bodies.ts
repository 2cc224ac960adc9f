import { idText } from '../../../validation/absence.js';
import { ReadAs } from '../../../validation/read-fields.js';
import { Must } from '../../../validation/rules.js';

/** Body of POST /sagas/{name}/skip. */
export class SkipSagaBody {
  /**
   * Position of the event, from the saga's `error.position`; sending it keeps a repeated call from skipping another
   * event. Default: the event at which the saga has stopped.
   */
  @ReadAs(idText)
  @Must.match(/^\d{1,19}$/, 'a position, as error.position of the saga shows it')
  readonly position: string | undefined;
  /** The reason why the event may be skipped. It is kept in the history. */
  @Must.beName()
  @Must.bePresent('why the event may be skipped')
  readonly reason!: string;
}
