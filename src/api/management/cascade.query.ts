import { Must } from '../../validation/rules.js';

/** Query parameters for deleting a resource that other resources may refer to. */
export class CascadeQuery {
  /**
   * `true`: also removes the resource from resources that refer to it; `false` (default): returns 409 if there are any.
   */
  @Must.beOneOf(['true', 'false'])
  readonly cascade: 'true' | 'false' | undefined;
}

/** Query parameters for deleting a resource that nothing can refer to; there are none. */
export class NoQuery {}
