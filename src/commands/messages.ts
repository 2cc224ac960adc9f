import { message } from '../kernel/message.js';

/** Refusals of use cases that no single resource decides. */
export const COMMAND_MESSAGES = {
  /** 422 `unknown_ids` */
  unknownIds: message('These do not exist or belong to another owner: {ids}.'),
  /** 404 `not_found` */
  ownerDeleted: 'This owner does not exist any more: it was deleted.',
  /** 409 `in_use` */
  inUse: message('This {what} is used by {others}. Take it out there first, or repeat the call with ?cascade=true.'),
  /** 402 `plan_not_allowed` */
  planWithoutInput: message(
    'The plan "{plan}" has no webhook input. Use one of the plans {plans}, or an endpoint of mode "test".',
  ),
  /** 422 `invalid_targets` */
  noTarget: 'None of these ids is a target of this endpoint. GET …/info lists the ids.',
  /** 409 `wrong_state` */
  nothingToCancel: 'This post has no publications: nothing can be cancelled.',
  /** 409 `history_unreadable` */
  historyDamaged:
    'The stored history of this publication is damaged: it is not sent again by itself. To publish the text, send a new post.',
  /** 409 `channel_deleted` */
  channelDeleted: 'The channel of this publication was deleted: it cannot be sent again.',
};

/** Reasons for which an endpoint is disabled: in its event and in the notice about it. */
export const DISABLED_REASONS = {
  byOwner: 'disabled by its owner',
  planWithoutInput: message('the plan "{plan}" has no webhook input'),
};
