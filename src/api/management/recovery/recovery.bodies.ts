import { Must } from '../../../validation/rules.js';
import { ID_PATTERN } from '../id.pipe.js';

const PLANNED = ['keep', 'cancel'] as const;
const IN_DOUBT = ['resend', 'dismiss'] as const;

/** Body of POST /recovery/confirm. */
export class ConfirmRecoveryBody {
  /** Only this owner. Operators may omit it to settle all owners' posts; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
  /** Keeps the planned posts, so that they are published at their time, or cancels them. Default: leaves them held. */
  @Must.beOneOf(PLANNED)
  readonly planned: (typeof PLANNED)[number] | undefined;
  /** Sends the publications in doubt again, or dismisses them. Default: leaves them in doubt. */
  @Must.beOneOf(IN_DOUBT)
  readonly in_doubt: (typeof IN_DOUBT)[number] | undefined;
}
