import { Must } from '../../validation/rules.js';

/** Query parameters for deleting a resource that other resources may refer to. */
export class CascadeQuery {
  /** `true`: also removes the resource from those that refer to it; `false` (default): such references cause a 409. */
  @Must.beOneOf(['true', 'false'])
  readonly cascade: 'true' | 'false' | undefined;
}

/** Query parameters for deleting a resource that nothing refers to; there are none. */
export class NoQuery {}
