import { Must } from '../../validation/rules.js';

/** The query of a DELETE of a resource that others may refer to. */
export class CascadeQuery {
  /** `true`: also remove it from the resources that refer to it. Default `false`: 409 if any does. */
  @Must.beOneOf(['true', 'false'])
  readonly cascade: 'true' | 'false' | undefined;
}

/** The query of a DELETE of a resource that nothing refers to. It has no fields. */
export class NoQuery {}
