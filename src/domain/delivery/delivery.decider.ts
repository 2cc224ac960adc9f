import type { Instant } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import type { DeliveryEvent, DeliveryScheduled, DeliveryStatus, DeliverySucceeded } from './delivery.events.js';

/** Delay after each failed attempt at a delivery, in minutes; the first attempt is made at once (security.md). */
const DELAYS_MINUTES = [5 / 60, 5, 30, 120, 300, 600, 600] as const;
/** Maximum jitter, as a fraction of the delay. It keeps many deliveries from being retried at the same moment. */
const JITTER = 0.1;
/** Longest wait that a customer's server may request, in ms. */
const LONGEST_ASKED_MS = 24 * 3_600_000;

/** Minutes of consecutive failures after which a webhook output is disabled: five days. */
export const FAILURE_LIMIT_MINUTES = 5 * 24 * 60;

/** The data about a failed attempt that determines when the next attempt is due. */
export interface FailedAttempt {
  readonly endedAt: Instant;
  /** `Retry-After` of the response, in ms, not scaled by MINUTE_MS; null if there was none. */
  readonly retryAfterMs: number | null;
  /** Length of a minute in the schedule, in ms (MINUTE_MS). */
  readonly minuteMs: number;
  /** Random number from 0 to 1. */
  readonly random: number;
}

/**
 * Returns the earliest time of the next attempt: as scheduled, or the server's `Retry-After` (at most 24 hours) if that
 * is later.
 * @param failed number of failed attempts in this schedule, from 1
 * @returns null if it was the last attempt
 */
export const computeRetryTime = (
  failed: number,
  { endedAt, retryAfterMs, minuteMs, random }: FailedAttempt,
): Instant | null => {
  const minutes = DELAYS_MINUTES[failed - 1];
  if (minutes === undefined) return null;
  const delay = minutes * minuteMs * (1 + JITTER * random);
  return Math.ceil(endedAt + Math.max(delay, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS)));
};

/**
 * True if the whole server seems to be down: it sent no response, or 5xx without `Retry-After`. Any other response
 * concerns only the delivery.
 */
export const meansServerDown = (status: number | null, retryAfterMs: number | null): boolean =>
  status === null || (status >= 500 && retryAfterMs === null);

/** When and how the customer's server responded to an attempt, if it did. */
type AttemptFacts = Pick<DeliverySucceeded['data'], 'deliveryId' | 'at' | 'latencyMs' | 'answer'>;

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
