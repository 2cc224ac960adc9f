import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { ID_PATTERN } from '../id.pipe.js';
import { Is } from '../rules.js';

/** The query of the overview. */
export class CurrentOverviewQuery {
  /** Only this owner's. Operators may omit it to see all owners; owners may pass only their own id. */
  @Is.matching(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    this.owner_id = nullToAbsent(sent.owner_id) as string | undefined;
  }
}
