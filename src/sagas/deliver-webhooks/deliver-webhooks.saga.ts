import {
  DisableWebhookOutput,
  DisableWebhookOutputHandler,
} from '../../commands/webhook-output/disable-webhook-output.js';
import { DISABLED_REASONS } from '../../commands/messages.js';
import { delivery as decider, type DeliveryCommand } from '../../domain/delivery/delivery.decider.js';
import { FAILURE_LIMIT_MINUTES, meansServerDown } from '../../domain/delivery/retry-schedule.js';
import type { AggregateStore, LoadedAggregate } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import type { Position } from '../../event-store/port.js';
import type { Instant } from '../../kernel/instant.js';
import { isRejection } from '../../kernel/result.js';
import type { DeliveryBodies } from '../../projections/webhook-deliveries/delivery-bodies.queries.js';
import type {
  DueDelivery,
  OutputQueue,
  OutputQueues,
} from '../../projections/webhook-deliveries/output-queue.queries.js';
import { DELIVERIES, type DeliveryOutputRow } from '../../projections/webhook-deliveries/webhook-deliveries.tables.js';
import { type Secret, type SecretVault, UnreadableSecret } from '../../secrets/vault.js';
import { KeyedSemaphore } from '../../runtime/keyed-semaphore.js';
import type { DueSource } from '../engine/due-claims.js';
import { DueWork, type DueWorkDependencies } from '../engine/due-work.js';
import { retryWhileUnavailable } from '../engine/retry-while-unavailable.js';
import type { ShutdownSignals } from '../engine/shutdown-signals.js';
import { type DeliverySender, type SentResult } from './delivery-sender.js';
import { DELIVERY_MESSAGES } from './messages.js';
import { signDelivery, uuidOfDelivery } from './signatures.js';

/** Dependencies of {@link DeliverWebhooksSaga}. */
export interface DeliverWebhooksSagaDependencies extends DueWorkDependencies {
  readonly queues: OutputQueues;
  readonly bodies: DeliveryBodies;
  readonly sender: DeliverySender;
  readonly aggregates: AggregateStore;
  readonly vault: SecretVault;
  /** Prefix of the headers, in lower case (D-34). */
  readonly brand: string;
  /** Length of a minute of the retry schedule and of the limit of five days, in ms (MINUTE_MS). */
  readonly minuteMs: number;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

/** The webhook outputs that are due: one worker at a time delivers to an output. */
export const DUE_OUTPUTS: DueSource = {
  prefix: 'output/',
  table: `${DELIVERIES}.output`,
  key: 'output_id',
  group: 'pace',
};

const ACTOR = 'system:deliver-webhooks';
const REASONS = {
  gone: DISABLED_REASONS.outputGone,
  secret: DISABLED_REASONS.outputSecret,
  failures: DISABLED_REASONS.outputFailures,
};
/** Time in ms for which a read of an output's queue is valid: a new URL, secret or state must take effect. */
const QUEUE_TTL_MS = 1_000;

/** Outputs of one host to which a process delivers at the same time, each over one connection. */
export const OUTPUTS_PER_HOST = 32;

/** The end of an attempt that was not made, because no connection to the server was possible a moment before. */
const NOT_SENT: SentResult = {
  ...{ status: null, answer: DELIVERY_MESSAGES.notSent, retryAfterMs: null, isAborted: false, isUnreachable: true },
};

/** The end of an attempt, and whether it was not made because the output has no signing secret that can be read. */
type AttemptEnd = SentResult & { readonly lacksSecret?: boolean };

/** Returns the end of an attempt that was not made, because what it needs is not there. */
const notSendable = (answer: string): AttemptEnd => ({ status: null, answer, retryAfterMs: null, isAborted: false });

/** The end of an attempt, while its event is being appended. */
interface Attempted {
  readonly isDelivered: boolean;
  readonly isServerDown: boolean;
  /** True if no connection to the server was possible. */
  readonly isUnreachable: boolean;
  /** True if nothing more may be sent to the output. */
  readonly isDisabled: boolean;
  readonly recorded: Promise<Position>;
}

/**
 * Delivers events to customers' servers (D-30): claims webhook outputs that are due, and sends the due deliveries of each in
 * order under its lease (see {@link DueWork}). A delivery that waits for its retry holds back none behind it. If the server
 * seems to be down, the first delivery that waits for it is tried before a later one: once that succeeds, all that wait go in
 * order (ADR-152). An outcome is appended while the next delivery is sent; a process that dies in between sends it again under
 * the same id.
 */
export class DeliverWebhooksSaga {
  private readonly work: DueWork<OutputQueue>;
  private readonly hosts = new KeyedSemaphore(OUTPUTS_PER_HOST);
  private readonly disableOutput: DisableWebhookOutputHandler;

  constructor(private readonly deps: DeliverWebhooksSagaDependencies) {
    this.disableOutput = new DisableWebhookOutputHandler(deps.aggregates);
    this.work = new DueWork<OutputQueue>(
      {
        keyName: 'output',
        activity: 'webhook delivery',
        notification: 'deliveries',
        views: ['webhook-deliveries'],
        schedule: 'webhook-deliveries',
        readQueue: (outputId, now) => deps.queues.readQueue(outputId, now),
        workOff: (queue, worker, signals) => this.deliverWithinHost(queue, worker, signals),
      },
      deps,
    );
  }

  /** Runs until the drain signal, then waits for attempts under way. */
  run(signals: ShutdownSignals): Promise<void> {
    return this.work.run(signals);
  }

  /**
   * Delivers to an output unless {@link OUTPUTS_PER_HOST} of its host are being delivered to. It does not wait for them: the
   * output is released and claimed again a moment later, so that a host with many outputs takes no capacity from others.
   */
  private async deliverWithinHost(
    queue: OutputQueue,
    worker: string,
    signals: ShutdownSignals,
  ): Promise<Position | null> {
    const release = this.hosts.tryAcquire(new URL(queue.output.url).hostname);
    if (!release) return null;
    try {
      return await this.deliverInOrder(queue, worker, signals);
    } finally {
      release();
    }
  }

  /** Sends what is due, while the read of the queue is valid. @returns the position of the last event; null: nothing was sent */
  private async deliverInOrder(
    { output, due, probe }: OutputQueue,
    worker: string,
    signals: ShutdownSignals,
  ): Promise<Position | null> {
    const validUntil = performance.now() + QUEUE_TTL_MS;
    const records: Promise<Position>[] = [];
    let isUnreachable = false;
    for (const row of probe ? [probe, ...due] : due) {
      // If the server came back between two attempts, a later delivery would overtake those that wait for it.
      const attempted: Attempted | null = isUnreachable
        ? this.recordFailure(
            row,
            output,
            NOT_SENT,
            { isProbe: false, at: this.deps.clock.now(), latencyMs: 0 },
            signals,
          )
        : await this.attempt(row, output, row === probe, signals);
      if (!attempted) break;
      isUnreachable = attempted.isUnreachable;
      attempted.recorded.catch(() => undefined); // awaited below
      records.push(attempted.recorded);
      // The server answers again: what waits in front of the others is due now.
      if (attempted.isDisabled || (attempted.isDelivered && output.down_delivery_id !== null)) break;
      // From now on a probe goes before each later one.
      if (attempted.isServerDown && output.down_delivery_id === null) break;
      if (row !== probe && performance.now() > validUntil) break;
      if (signals.drain.aborted || !this.deps.leases.stillHoldsLeasesOf(worker)) break;
    }
    const positions = await Promise.all(records);
    return positions.reduce<Position | null>((last, next) => (last === null || next > last ? next : last), null);
  }

  /** @returns null if the process stops: the attempt is made again by another */
  private async attempt(
    row: DueDelivery,
    output: DeliveryOutputRow,
    isProbe: boolean,
    signals: ShutdownSignals,
  ): Promise<Attempted | null> {
    const { clock } = this.deps;
    const at = clock.now();
    const startedAt = performance.now();
    const sent = await this.send(row, output, at, signals.abort);
    if (sent.isAborted) return null;
    const latencyMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const { status, answer } = sent;
    const deliveryId = row.delivery_id;
    if (status !== null && status >= 200 && status < 300) {
      const command = { type: 'RecordSuccess', deliveryId, at, status, latencyMs, answer } as const;
      return {
        isDelivered: true,
        isServerDown: false,
        isUnreachable: false,
        isDisabled: false,
        recorded: this.record(row, command, signals),
      };
    }
    return this.recordFailure(row, output, sent, { isProbe, at, latencyMs }, signals);
  }

  private recordFailure(
    row: DueDelivery,
    output: DeliveryOutputRow,
    { status, answer, retryAfterMs, isUnreachable = false, lacksSecret = false }: AttemptEnd,
    { at, ...more }: { readonly isProbe: boolean; readonly at: Instant; readonly latencyMs: number },
    signals: ShutdownSignals,
  ): Attempted {
    const isGone = status === 410;
    const { clock, minuteMs, random } = this.deps;
    const next = { endedAt: clock.now(), retryAfterMs, minuteMs, random: random() };
    const facts = { deliveryId: row.delivery_id, at, status, answer, ...more };
    const recorded = this.record(row, { type: 'RecordFailure', ...facts, isGone, next }, signals);
    const hasFailedLong = at - (output.failing_since ?? at) >= FAILURE_LIMIT_MINUTES * minuteMs;
    const isServerDown = meansServerDown(status, retryAfterMs);
    const failed = { isDelivered: false, isServerDown, isUnreachable };
    // No later attempt could be signed: waiting for five days would only hide it.
    const by = isGone ? 'gone' : lacksSecret ? 'secret' : hasFailedLong ? 'failures' : null;
    if (by === null) return { ...failed, isDisabled: false, recorded };
    const disabled = recorded.then(() => this.disable(row, by, signals));
    return { ...failed, isDisabled: true, recorded: disabled };
  }

  private async send(
    row: DueDelivery,
    output: DeliveryOutputRow,
    at: Instant,
    signal: AbortSignal,
  ): Promise<AttemptEnd> {
    const secrets = await this.readSecrets(output, at);
    if (typeof secrets === 'string') return { ...notSendable(secrets), lacksSecret: true };
    const body = row.body ?? (await this.deps.bodies.readBody(row));
    if (body === null) return notSendable(DELIVERY_MESSAGES.bodyDamaged);
    const id = uuidOfDelivery(row.delivery_id);
    const { brand, sender } = this.deps;
    const headers = signDelivery({ id, kind: row.kind, body, timestamp: Math.floor(at / 1_000), brand, secrets });
    return sender.send(output.url, headers, body, signal);
  }

  /** Reads the secrets that sign at a time, the present one first; returns a sentence if that one cannot be read. */
  private async readSecrets(output: DeliveryOutputRow, at: Instant): Promise<readonly string[] | string> {
    const { secret_id, previous_secret_id, previous_until } = output;
    const present = await this.readSecret(secret_id);
    if (typeof present === 'string') return present;
    const hasPrevious = previous_secret_id !== null && previous_until > at;
    const previous = hasPrevious ? await this.readSecret(previous_secret_id) : '';
    // The receiver needs one signature that it can verify: a former secret that is gone takes nothing from the present one.
    return [present, ...(typeof previous === 'string' ? [] : [previous])].map(({ secret = '' }) => secret);
  }

  /** Reads a secret; returns a sentence if it was erased or cannot be decrypted. */
  private async readSecret(id: string): Promise<Secret | string> {
    try {
      return (await this.deps.vault.readSecret(id)) ?? DELIVERY_MESSAGES.secretErased;
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      return DELIVERY_MESSAGES.secretUnreadable;
    }
  }

  /** Appends an outcome, and again while the event store is unavailable: only this process knows it. */
  private async record(row: DueDelivery, command: DeliveryCommand, { abort }: ShutdownSignals): Promise<Position> {
    const context = this.contextOf(row, `deliver/${row.delivery_id}/${row.revision}`);
    const result = await retryWhileUnavailable(
      () => this.deps.aggregates.execute(decider, row.delivery_id, command, context, knownDelivery(row)),
      abort,
    );
    if (isRejection(result)) throw new Error(`failed to record an attempt: ${result.message}`);
    return result.aggregate.position;
  }

  private async disable(row: DueDelivery, by: keyof typeof REASONS, { abort }: ShutdownSignals): Promise<Position> {
    const context = this.contextOf(row, `disable/${row.delivery_id}/${row.revision}`);
    const command = new DisableWebhookOutput(context, row.output_id, by, REASONS[by]);
    const outcome = await retryWhileUnavailable(() => this.disableOutput.execute(command), abort);
    return isRejection(outcome) ? -1n : outcome.position; // it was deleted meanwhile
  }

  private contextOf(row: DueDelivery, commandId: string): CommandContext {
    const { request_id: requestId, correlation_id: correlationId, event_id: causationId } = row;
    const origin = { actor: ACTOR, requestId, correlationId, causationId, clientAddress: null };
    return { ...origin, commandId, at: this.deps.clock.now() };
  }
}

/** Returns a delivery as its row shows it, so that its stream is not read; if it has changed since, the append conflicts. */
const knownDelivery = (row: DueDelivery): LoadedAggregate<ReturnType<typeof decider.evolve>> => ({
  state: {
    ...{ ownerId: row.owner_id, outputId: row.output_id, status: row.state },
    ...{ attempts: row.attempt, failed: row.failed, nextAt: row.next_at },
  },
  revision: BigInt(row.revision),
  position: -1n,
  hash: row.hash,
});
