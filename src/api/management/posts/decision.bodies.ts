import { emptyTextToAbsent } from '../../../validation/absence.js';
import { ReadAs } from '../../../validation/read-fields.js';
import { Must } from '../../../validation/rules.js';

/** Longest note or reason, in characters (D-62). */
const LONGEST = 500;

/** Body of POST /posts/{id}/approve. */
export class ApproveBody {
  /** A note for readers of the decision; an empty note counts as none. */
  @ReadAs(emptyTextToAbsent)
  @Must.beVisibleText(LONGEST)
  readonly note: string | undefined;

  /** The revision of the post that was read; `If-Match` may name it instead. One of the two is required. */
  @Must.beAtLeast(1)
  @Must.beInteger()
  readonly revision: number | undefined;
}

/** Body of POST /posts/{id}/reject. */
export class RejectBody {
  /** The reason, for the author of the post. */
  @Must.beVisibleText(LONGEST)
  @Must.bePresent('why the post is not published')
  readonly reason!: string;
}
