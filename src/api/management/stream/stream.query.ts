import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { ID_PATTERN } from '../id.pipe.js';
import { Is } from '../rules.js';

/** The query of a stream of changes. */
export class StreamQuery {
  /** Only this owner's changes. The operator sees all owners' without it; an owner may name itself only. */
  @Is.matching(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    this.owner_id = nullToAbsent(sent.owner_id) as string | undefined;
  }
}
