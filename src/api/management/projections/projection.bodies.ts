import { type Promotion, PROMOTIONS } from '../../../commands/projection/rebuild-projection.js';
import { Must } from '../../../validation/rules.js';

/** Body of POST /projections/{name}/rebuild. */
export class RebuildBody {
  /**
   * `auto` (default): the new version becomes live once it has caught up; `manual`: it waits for
   * POST /projections/{name}/promote.
   */
  @Must.beOneOf([...PROMOTIONS])
  readonly promote: Promotion = 'auto';
}

/** Body of POST /projections/{name}/skip. */
export class SkipBody {
  /** The reason why the event may be skipped. It is kept in the history. */
  @Must.beName()
  @Must.bePresent('why the event may be skipped')
  readonly reason!: string;
}
