import type { Instant } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import type { DeliveryEvent, DeliveryScheduled, DeliveryStatus, DeliverySucceeded } from './delivery.events.js';
import { computeRetryTime, type FailedAttempt, meansServerDown } from './retry-schedule.js';

/** When and how the customer's server responded to an attempt, if it did. */
type AttemptFacts = Pick<DeliverySucceeded['data'], 'deliveryId' | 'at' | 'latencyMs' | 'answer'>;

/** Commands to a delivery. */
export type DeliveryCommand =
  | ({ readonly type: 'ScheduleDelivery' } & DeliveryScheduled['data'])
  | ({ readonly type: 'RecordSuccess'; readonly status: number } & AttemptFacts)
  | ({
      readonly type: 'RecordFailure';
      readonly status: number | null;
      readonly isProbe: boolean;
      /** True if the customer's server responded with 410, which means that it accepts no more deliveries. */
      readonly isGone: boolean;
      readonly next: FailedAttempt;
    } & AttemptFacts)
  | { readonly type: 'RequestRetry'; readonly deliveryId: string; readonly at: Instant };

/** State of a delivery; null if it does not exist. */
export type DeliveryState = null | {
  readonly ownerId: string;
  readonly outputId: string;
  readonly status: DeliveryStatus;
  /** Total number of attempts. */
  readonly attempts: number;
  /** Number of failed attempts in the current retry schedule. */
  readonly failed: number;
  /** Earliest time of the next attempt; null if there will be none. */
  readonly nextAt: Instant | null;
};

/** The delivery of one event to one webhook output: its attempts and outcome (D-30). */
export const delivery: Decider<DeliveryCommand, DeliveryState, DeliveryEvent, 'not_found'> = {
  category: 'delivery',
  initial: null,

  ownerOf: (state) => state?.ownerId ?? null,

  decide(command, state) {
    const { deliveryId } = command;
    if (command.type === 'ScheduleDelivery') {
      const { type: _, ...data } = command;
      return state ? [] : [{ type: 'DeliveryScheduled', data }];
    }
    if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'delivery' }));
    const { outputId } = state;
    const attempt = state.attempts + 1;
    switch (command.type) {
      case 'RecordSuccess': {
        const { at, status, latencyMs, answer } = command;
        return [{ type: 'DeliverySucceeded', data: { deliveryId, outputId, attempt, at, status, latencyMs, answer } }];
      }
      case 'RecordFailure': {
        const { at, status, latencyMs, answer, isGone, next } = command;
        // An early probe leaves the schedule unchanged.
        const isProbe = command.isProbe && state.nextAt !== null && !isGone;
        const planned = isProbe ? state.nextAt : computeRetryTime(state.failed + 1, next);
        const retryAt = isGone ? null : planned;
        const isServerDown = meansServerDown(status, next.retryAfterMs);
        const facts = { deliveryId, outputId, attempt, at, status, latencyMs, answer };
        const data = { ...facts, retryAt, isServerDown, isProbe };
        return state.status === 'pending' ? [{ type: 'DeliveryAttemptFailed', data }] : [];
      }
      case 'RequestRetry':
        return [{ type: 'DeliveryRetryRequested', data: { deliveryId, outputId, at: command.at } }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'DeliveryScheduled') {
      const { ownerId, outputId, at } = event.data;
      return { ownerId, outputId, status: 'pending', attempts: 0, failed: 0, nextAt: at };
    }
    if (!state) return state;
    switch (event.type) {
      case 'DeliverySucceeded':
        return { ...state, status: 'delivered', attempts: event.data.attempt, nextAt: null };
      case 'DeliveryAttemptFailed': {
        const { attempt, retryAt, isProbe } = event.data;
        const status = retryAt === null ? 'failed' : 'pending';
        const failed = state.failed + (isProbe ? 0 : 1);
        return { ...state, status, attempts: attempt, failed, nextAt: retryAt };
      }
      case 'DeliveryRetryRequested':
        return { ...state, status: 'pending', failed: 0, nextAt: event.data.at };
      default:
        return assertNever(event);
    }
  },
};
