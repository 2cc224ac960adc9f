import { fold } from '../../kernel/events.js';
import { computeRetryTime, delivery, type DeliveryCommand } from './delivery.decider.js';
import type { DeliveryEvent } from './delivery.events.js';

const deliveryId = 'dlv_1';
const AT = 1_000_000;
const MINUTE = 60_000;
const scheduled: DeliveryEvent = {
  type: 'DeliveryScheduled',
  data: { deliveryId, outputId: 'whk_1', ownerId: 'own_1', kind: 'test.ping', body: '{}', parts: null, at: AT },
};
const failure = (more: Partial<Extract<DeliveryCommand, { type: 'RecordFailure' }>> = {}): DeliveryCommand => ({
  type: 'RecordFailure',
  deliveryId,
  at: AT,
  status: 500,
  latencyMs: 3,
  answer: 'no',
  isProbe: false,
  isGone: false,
  next: { endedAt: AT, retryAfterMs: null, minuteMs: MINUTE, random: 0 },
  ...more,
});
const decide = (command: DeliveryCommand, ...events: DeliveryEvent[]): DeliveryEvent[] =>
  delivery.decide(command, fold(delivery, events)) as DeliveryEvent[];

/** Executes a command after these events, and returns all events. */
const after = (events: DeliveryEvent[], command: DeliveryCommand): DeliveryEvent[] => [
  ...events,
  ...decide(command, ...events),
];

it('is retried after 5 s, 5 min, 30 min, 2 h, 5 h and twice 10 h, then fails for good', () => {
  let events: DeliveryEvent[] = [scheduled];
  const delays: (number | null)[] = [];
  for (let i = 0; i < 8; i++) {
    events = after(events, failure());
    const { retryAt } = events.at(-1)!.data as { retryAt: number | null };
    delays.push(retryAt === null ? null : (retryAt - AT) / MINUTE);
  }
  expect(delays).toEqual([5 / 60, 5, 30, 120, 300, 600, 600, null]);
  expect(fold(delivery, events)).toMatchObject({ status: 'failed', attempts: 8, nextAt: null });
  expect(decide(failure(), ...events)).toEqual([]);
  const again = after(events, { type: 'RequestRetry', deliveryId, at: AT + 5 });
  expect(fold(delivery, again)).toMatchObject({ status: 'pending', failed: 0, nextAt: AT + 5 });
});

it('waits for Retry-After if that is later, 24 hours at most, and lengthens delays by a tenth at most', () => {
  const from = { endedAt: AT, minuteMs: MINUTE, random: 0 };
  const hour = 60 * MINUTE;
  expect(computeRetryTime(1, { ...from, retryAfterMs: 30_000 })).toBe(AT + 30_000);
  expect(computeRetryTime(2, { ...from, retryAfterMs: 30_000 })).toBe(AT + 5 * MINUTE);
  expect(computeRetryTime(1, { ...from, retryAfterMs: 72 * hour })).toBe(AT + 24 * hour);
  expect(computeRetryTime(2, { ...from, random: 1, retryAfterMs: null })).toBe(AT + 5.5 * MINUTE);
});

it('keeps its plan when a probe of a server that is down fails', () => {
  const failed = after([scheduled], failure({ status: null }));
  const [probed] = decide(failure({ status: null, isProbe: true, at: AT + 2 }), ...failed);
  expect(probed!.data).toMatchObject({ attempt: 2, retryAt: AT + 5_000, isServerDown: true, isProbe: true });
  expect(fold(delivery, [...failed, probed!])).toMatchObject({ status: 'pending', attempts: 2, failed: 1 });
});

it('fails for good when the server is gone, and tells a refusal from a server that is down', () => {
  expect(decide(failure({ status: 410, isGone: true }), scheduled)[0]!.data).toMatchObject({ retryAt: null });
  const isDown = (status: number, retryAfterMs: number | null) => {
    const next = { endedAt: AT, retryAfterMs, minuteMs: MINUTE, random: 0 };
    return (decide(failure({ status, next }), scheduled)[0]!.data as { isServerDown: boolean }).isServerDown;
  };
  expect([isDown(499, null), isDown(500, null), isDown(503, null), isDown(503, 1_000)]).toEqual([
    ...[false, true, true, false],
  ]);
});

it('is scheduled once', () => {
  expect(decide({ type: 'ScheduleDelivery', ...scheduled.data }, scheduled)).toEqual([]);
});

it('exists from its first event on, and belongs to the owner of its output', () => {
  expect(delivery.decide({ type: 'ScheduleDelivery', ...scheduled.data }, null)).toEqual([scheduled]);
  expect(delivery.decide(failure(), null)).toMatchObject({ rejection: 'not_found' });
  expect(delivery.ownerOf!(null, deliveryId)).toBeNull();
  expect(delivery.ownerOf!(fold(delivery, [scheduled]), deliveryId)).toBe('own_1');
  const [failed] = decide(failure(), scheduled);
  expect(fold(delivery, [failed!])).toBeNull();
});

it('is delivered by one success, with what the server answered', () => {
  const success = { deliveryId, at: AT + 1, status: 204, latencyMs: 7, answer: '' };
  const [failed] = decide(failure(), scheduled);
  const [succeeded] = decide({ type: 'RecordSuccess', ...success }, scheduled, failed!);
  expect(succeeded).toEqual({ type: 'DeliverySucceeded', data: { ...success, outputId: 'whk_1', attempt: 2 } });
  const state = fold(delivery, [scheduled, failed!, succeeded!]);
  expect(state).toMatchObject({ status: 'delivered', attempts: 2, nextAt: null });
});

it('counts a probe as an attempt of its own if nothing was planned or the server is gone', () => {
  const gone = decide(failure({ status: 410, isGone: true, isProbe: true }), scheduled);
  expect(gone[0]!.data).toMatchObject({ retryAt: null, isProbe: false });
  const planned = decide(failure({ isProbe: true, at: AT + 1 }), scheduled);
  expect(planned[0]!.data).toMatchObject({ retryAt: AT, isProbe: true });
});
