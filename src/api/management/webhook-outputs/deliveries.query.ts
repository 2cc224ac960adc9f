import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../domain/delivery/delivery.events.js';
import { Must } from '../../../validation/rules.js';
import { isCursorOf, PageQuery } from '../../transport/page.js';

/** Query parameters of a webhook output's delivery list. */
export class DeliveriesQuery extends PageQuery {
  @isCursorOf('position')
  declare readonly cursor: string | undefined;

  /** Only deliveries in this state. */
  @Must.beOneOf(DELIVERY_STATUSES)
  readonly state: DeliveryStatus | undefined;
}
