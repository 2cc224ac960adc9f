import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../domain/delivery/delivery.events.js';
import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { isCursorOf, PageQuery } from '../page.js';

/** The query of a webhook output's deliveries. */
export class DeliveriesQuery extends PageQuery {
  @isCursorOf('position')
  declare readonly cursor: string | undefined;

  /** Only deliveries in this state. */
  @Must.beOneOf(DELIVERY_STATUSES)
  readonly state: DeliveryStatus | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.state = nullToAbsent(sent.state) as DeliveryStatus | undefined;
  }
}
