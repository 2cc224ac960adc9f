import { Must } from '../../validation/rules.js';

/** Query parameters of a DELETE of a resource that others may refer to. */
export class CascadeQuery {
  /** `true`: also remove it from the resources that refer to it. Default `false`: 409 if any does. */
  @Must.beOneOf(['true', 'false'])
  readonly cascade: 'true' | 'false' | undefined;
}

/** Query parameters of a DELETE of a resource that nothing refers to. It has no fields. */
export class NoQuery {}
