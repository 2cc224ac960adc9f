import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DISABLED_REASONS } from '../../commands/messages.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import {
  delivery as decider,
  type DeliveryCommand,
  FAILURE_LIMIT_MINUTES,
  meansServerDown,
} from '../../domain/delivery/delivery.decider.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import { AggregateStore, type LoadedAggregate } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import type { Position } from '../../event-store/port.js';
import { type Clock, type Instant, MINUTE_MS } from '../../kernel/clock.js';
import { isRejection } from '../../kernel/result.js';
import type { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import {
  DeliveryBodies,
  type DueDelivery,
  type OutputQueue,
  OutputQueues,
} from '../../projections/webhook-deliveries/webhook-deliveries.queries.js';
import { DELIVERIES, type DeliveryOutputRow } from '../../projections/webhook-deliveries/webhook-deliveries.tables.js';
import { type Secret, SecretVault, UnreadableSecret } from '../../secrets/vault.js';
import { DueClaims, type DueSource, DueWork, DueWorkServices } from '../engine/due-work.js';
import { GroupConcurrency } from '../engine/group-concurrency.js';
import { retryWhileUnavailable, type ShutdownSignals } from '../engine/run-under-lease.js';
import { DeliverySender, HostSlots, type SentResult, signDelivery, uuidOfDelivery } from './delivery-sender.js';
import { DELIVERY_MESSAGES } from './messages.js';

/** The due webhook outputs. Only one worker at a time delivers to an output. */
const DUE_OUTPUTS: DueSource = {
  prefix: 'output/',
  table: `${DELIVERIES}.output`,
  key: 'output_id',
  group: 'pace',
  owner: 'owner_id',
};

const ACTOR = 'system:deliver-webhooks';
const REASONS = {
  gone: DISABLED_REASONS.outputGone,
  secret: DISABLED_REASONS.outputSecret,
  failures: DISABLED_REASONS.outputFailures,
};
/** How long a read of an output's queue stays valid, in ms. A new URL, secret or state must take effect soon. */
const QUEUE_TTL_MS = 1_000;

/**
 * Maximum number of outputs that a process delivers to at a time, counted separately for prompt and slow outputs so
 * that slow outputs do not delay prompt ones. Owners share them fairly (D-82).
 */
const OUTPUTS_PER_PACE = 256;

/**
 * Maximum number of outputs on one host that a process delivers to at a time, each over one connection. Owners share
 * them fairly, because many use the same services.
 */
export const OUTPUTS_PER_HOST = 32;

/** Outcome of an attempt. `lacksSecret`: it was skipped because the signing secret cannot be read. */
type AttemptEnd = SentResult & { readonly lacksSecret?: boolean };

const skipped = (answer: string): AttemptEnd => ({ status: null, answer, retryAfterMs: null, isAborted: false });

/** Outcome of an attempt that was skipped because the server had just been unreachable. */
const NOT_SENT: AttemptEnd = { ...skipped(DELIVERY_MESSAGES.notSent), isUnreachable: true };

/** Outcome of an attempt whose event is still being appended. */
interface Attempted {
  readonly isDelivered: boolean;
  readonly isServerDown: boolean;
  /** True if no connection to the server could be opened. */
  readonly isUnreachable: boolean;
  /** True if nothing more may be sent to the output. */
  readonly isDisabled: boolean;
  readonly recorded: Promise<Position>;
}

/**
 * Delivers events to customers' servers (D-30): claims due webhook outputs, and sends the due deliveries of each in
 * order under its lease (see {@link DueWork}). A delivery that is waiting for its retry does not delay later
 * deliveries. If the server seems to be down, the first waiting delivery is tried before each later delivery; once it
 * succeeds, all waiting deliveries are sent in order (ADR-152). An outcome is appended while the next delivery is sent;
 * after a crash in between, the delivery is sent again with the same id.
 */
@Injectable()
export class DeliverWebhooks {
  private readonly work: DueWork<OutputQueue>;
  private readonly hosts = new HostSlots(OUTPUTS_PER_HOST);
  private readonly clock: Clock;
  private readonly leases: Leases;

  constructor(
    @Inject(POOL) pool: Pool,
    services: DueWorkServices,
    queues: OutputQueues,
    private readonly bodies: DeliveryBodies,
    private readonly sender: DeliverySender,
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'brand'>,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {
    this.clock = services.clock;
    this.leases = services.leases;
    this.work = new DueWork<OutputQueue>(
      {
        claims: new DueClaims(pool, services.leases, DUE_OUTPUTS),
        concurrency: new GroupConcurrency(['prompt', 'slow'], OUTPUTS_PER_PACE),
        keyName: 'output',
        activity: 'webhook delivery',
        notification: 'deliveries',
        readModels: ['webhook-deliveries'],
        schedule: 'webhook-deliveries',
        readQueue: (outputId, now) => queues.readQueue(outputId, now),
        workOff: (queue, worker, signals) => this.deliverWithinHost(queue, worker, signals),
      },
      services,
    );
  }

  /** Runs until the drain signal, then waits for attempts in progress. */
  run(drain: AbortSignal, abort: AbortSignal): Promise<void> {
    return this.work.run({ drain, abort });
  }

  /**
   * Delivers to an output, unless its owner has no slot left on its host. In that case, the output is released and
   * claimed again later, because waiting would take capacity from other hosts.
   */
  private async deliverWithinHost(
    queue: OutputQueue,
    worker: string,
    signals: ShutdownSignals,
  ): Promise<Position | null> {
    const release = this.hosts.tryAcquire(new URL(queue.output.url).hostname, queue.output.owner_id);
    if (!release) return null;
    try {
      return await this.deliverInOrder(queue, worker, signals);
    } finally {
      release();
    }
  }

  /** Sends the due deliveries while this read of the queue is valid. @returns position of the last event, if any */
  private async deliverInOrder(
    { output, due, probe }: OutputQueue,
    worker: string,
    signals: ShutdownSignals,
  ): Promise<Position | null> {
    const validUntil = performance.now() + QUEUE_TTL_MS;
    const records: Promise<Position>[] = [];
    let isUnreachable = false;
    for (const row of probe ? [probe, ...due] : due) {
      // Not sent: if the server came back between two attempts, a later delivery would overtake the waiting deliveries.
      const attempted: Attempted | null = isUnreachable
        ? this.recordFailure(row, output, NOT_SENT, { isProbe: false, at: this.clock.now(), latencyMs: 0 }, signals)
        : await this.attempt(row, output, row === probe, signals);
      if (!attempted) break;
      isUnreachable = attempted.isUnreachable;
      attempted.recorded.catch(() => undefined); // awaited below
      records.push(attempted.recorded);
      // If the server is back, the earlier waiting deliveries are now due and must be sent first.
      if (attempted.isDisabled || (attempted.isDelivered && output.down_delivery_id !== null)) break;
      // From now on a probe precedes each later delivery.
      if (attempted.isServerDown && output.down_delivery_id === null) break;
      if (row !== probe && performance.now() > validUntil) break;
      if (signals.drain.aborted || !this.leases.stillHoldsLeasesOf(worker)) break;
    }
    const positions = await Promise.all(records);
    return positions.reduce<Position | null>((last, next) => (last === null || next > last ? next : last), null);
  }

  /** @returns null if the process is stopping, in which case another process repeats the attempt */
  private async attempt(
    row: DueDelivery,
    output: DeliveryOutputRow,
    isProbe: boolean,
    signals: ShutdownSignals,
  ): Promise<Attempted | null> {
    const at = this.clock.now();
    const startedAt = performance.now();
    const sent = await this.send(row, output, at, signals.abort);
    if (sent.isAborted) return null;
    const latencyMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const { status, answer } = sent;
    if (status === null || status < 200 || status >= 300)
      return this.recordFailure(row, output, sent, { isProbe, at, latencyMs }, signals);
    const command = { type: 'RecordSuccess', deliveryId: row.delivery_id, at, status, latencyMs, answer } as const;
    const recorded = this.record(row, command, signals);
    return { isDelivered: true, isServerDown: false, isUnreachable: false, isDisabled: false, recorded };
  }

  private recordFailure(
    row: DueDelivery,
    output: DeliveryOutputRow,
    { status, answer, retryAfterMs, isUnreachable = false, lacksSecret = false }: AttemptEnd,
    { at, ...more }: { readonly isProbe: boolean; readonly at: Instant; readonly latencyMs: number },
    signals: ShutdownSignals,
  ): Attempted {
    const isGone = status === 410;
    const { clock, minuteMs } = this;
    const next = { endedAt: clock.now(), retryAfterMs, minuteMs, random: Math.random() };
    const facts = { deliveryId: row.delivery_id, at, status, answer, ...more };
    const recorded = this.record(row, { type: 'RecordFailure', ...facts, isGone, next }, signals);
    const hasFailedLong = at - (output.failing_since ?? at) >= FAILURE_LIMIT_MINUTES * minuteMs;
    const isServerDown = meansServerDown(status, retryAfterMs);
    const failed = { isDelivered: false, isServerDown, isUnreachable };
    // No later attempt could be signed, so waiting for five days would only hide the problem.
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
    if (typeof secrets === 'string') return { ...skipped(secrets), lacksSecret: true };
    const body = row.body ?? (await this.bodies.readBody(row));
    if (body === null) return skipped(DELIVERY_MESSAGES.bodyDamaged);
    const id = uuidOfDelivery(row.delivery_id);
    const { brand } = this.settings;
    const headers = signDelivery({ id, kind: row.kind, body, timestamp: Math.floor(at / 1_000), brand, secrets });
    return this.sender.send(output.url, headers, body, signal);
  }

  /** Reads the valid secrets, current first. Returns an error message if the current secret cannot be read. */
  private async readSecrets(output: DeliveryOutputRow, at: Instant): Promise<readonly string[] | string> {
    const { secret_id, previous_secret_id, previous_until } = output;
    const present = await this.readSecret(secret_id);
    if (typeof present === 'string') return present;
    const hasPrevious = previous_secret_id !== null && previous_until > at;
    const previous = hasPrevious ? await this.readSecret(previous_secret_id) : '';
    // The receiver needs only one signature that it can verify, so a missing previous secret does not matter.
    const readable = typeof previous === 'string' ? [present] : [present, previous];
    return readable.map(({ secret = '' }) => secret);
  }

  /** Reads a secret; returns an error message if it was erased or cannot be decrypted. */
  private async readSecret(id: string): Promise<Secret | string> {
    try {
      return (await this.vault.readSecret(id)) ?? DELIVERY_MESSAGES.secretErased;
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      return DELIVERY_MESSAGES.secretUnreadable;
    }
  }

  /** Appends an outcome, retrying while the event store is unavailable, because only this process knows the outcome. */
  private async record(row: DueDelivery, command: DeliveryCommand, { abort }: ShutdownSignals): Promise<Position> {
    const context = this.contextOf(row, `deliver/${row.delivery_id}/${row.revision}`);
    const result = await retryWhileUnavailable(
      () => this.aggregates.execute(decider, row.delivery_id, command, context, knownDelivery(row)),
      abort,
    );
    if (isRejection(result)) throw new Error(`failed to record an attempt: ${result.message}`);
    return result.aggregate.position;
  }

  private async disable(row: DueDelivery, by: keyof typeof REASONS, { abort }: ShutdownSignals): Promise<Position> {
    const context = this.contextOf(row, `disable/${row.delivery_id}/${row.revision}`);
    const { output_id: outputId } = row;
    const command = { type: 'DisableOutput', outputId, by, reason: REASONS[by] } as const;
    const result = await retryWhileUnavailable(
      () => this.aggregates.execute(webhookOutput, outputId, command, context),
      abort,
    );
    return isRejection(result) ? -1n : result.aggregate.position; // the output was deleted in the meantime
  }

  private contextOf(row: DueDelivery, commandId: string): CommandContext {
    const { request_id: requestId, correlation_id: correlationId, event_id: causationId } = row;
    const origin = { actor: ACTOR, requestId, correlationId, causationId, clientAddress: null };
    return { ...origin, commandId, at: this.clock.now() };
  }
}

/** Returns a delivery's state from its row, which saves a read. If the row is outdated, the append conflicts. */
const knownDelivery = (row: DueDelivery): LoadedAggregate<ReturnType<typeof decider.evolve>> => ({
  state: {
    ownerId: row.owner_id,
    outputId: row.output_id,
    status: row.state,
    attempts: row.attempt,
    failed: row.failed,
    nextAt: row.next_at,
  },
  revision: BigInt(row.revision),
  position: -1n,
  hash: row.hash,
});
