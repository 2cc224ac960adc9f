import { Must } from '../../validation/rules.js';

/** Query parameters for deleting a resource that other resources may refer to. */
export class CascadeQuery {
  /**
   * With `true`, the resource is also removed from those that refer to it; with `false`, the default, such references
   * cause a 409.
   */
  @Must.beOneOf(['true', 'false'])
  readonly cascade: 'true' | 'false' | undefined;
}

/** Query parameters for deleting a resource that nothing refers to; there are none. */
export class NoQuery {}
