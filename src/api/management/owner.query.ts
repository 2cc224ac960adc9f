import { Must } from '../../validation/rules.js';
import { ID_PATTERN } from './id.pipe.js';

/** Query parameters of a route that shows one owner, or all owners to the operator. */
export class OwnerQuery {
  /** Only this owner. Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}
