import { Inject, Injectable, Module } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { type Log, LOG } from '../../kernel/log.js';
import { createAddressPolicy } from '../../outbound-http/address-policy.js';
import { GuardedClient } from '../../outbound-http/guarded-client.js';
import { Publishers } from '../../platforms/publishers.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { CircuitBreaker } from '../../processing/translation/circuit-breaker.js';
import { ProjectOutputs } from '../../projections/discovery/project-outputs.queries.js';
import { References } from '../../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { PostPlaces } from '../../projections/posts/post-place.queries.js';
import { DeliveryBodies } from '../../projections/webhook-deliveries/delivery-bodies.queries.js';
import { OutputQueues } from '../../projections/webhook-deliveries/output-queue.queries.js';
import {
  DeliverWebhooksSaga,
  type DeliverWebhooksSagaDependencies,
  DUE_OUTPUTS,
  OUTPUTS_PER_HOST,
} from '../../sagas/deliver-webhooks/deliver-webhooks.saga.js';
import { ATTEMPT_TIMEOUT_MS, DeliverySender } from '../../sagas/deliver-webhooks/delivery-sender.js';
import { PublishedTexts } from '../../sagas/deliver-webhooks/published-text.js';
import {
  scheduleDeliveries,
  type ScheduleDeliveriesDependencies,
} from '../../sagas/deliver-webhooks/schedule-deliveries.js';
import { DueClaims } from '../../sagas/engine/due-claims.js';
import { EventSaga, type EventSagaDependencies } from '../../sagas/engine/event-saga.js';
import { GroupConcurrency } from '../../sagas/engine/group-concurrency.js';
import { SecretVault } from '../../secrets/vault.js';
import { Resources } from '../resources.js';
import { EventSagaTask } from '../worker/event-saga-task.js';
import { PublishingTask } from '../worker/publishing-task.js';
import { EventStoreModule } from './event-store.module.js';
import { PlatformsModule } from './platforms.module.js';
import { PostgresModule } from './postgres.module.js';
import { ProcessingModule } from './processing.module.js';
import { ReadModelsModule } from './read-models.module.js';
import { SecretsModule } from './secrets.module.js';

/** Injection tokens of the tasks. */
export const SCHEDULE_DELIVERIES = Symbol('ScheduleDeliveries');
export const DELIVER_WEBHOOKS = Symbol('DeliverWebhooks');

/** Outputs of one pace to which a process delivers at the same time: slow ones take nothing from the prompt ones. */
const OUTPUTS_PER_PACE = 256;

@Injectable()
class SchedulingDependencies implements Omit<ScheduleDeliveriesDependencies, 'outputs' | 'places' | 'texts'> {
  constructor(
    readonly aggregates: AggregateStore,
    readonly references: References,
    readonly payloads: PostPayloads,
    readonly progress: ProjectionProgress,
    readonly publishers: Publishers,
    readonly translator: CircuitBreaker,
    @Inject(POOL) readonly pool: Pool,
    @Inject(CLOCK) readonly clock: Clock,
  ) {}
}

@Injectable()
class FollowingDependencies implements EventSagaDependencies {
  readonly reactionMs: number;

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly codec: EventCodec,
    readonly leases: Leases,
    readonly notifications: Notifications,
    @Inject(SETTINGS) { reactionMs }: Settings,
    @Inject(LOG) readonly log: Log,
  ) {
    this.reactionMs = reactionMs;
  }
}

@Injectable()
class DeliveringDependencies implements DeliverWebhooksSagaDependencies {
  readonly claims: DueClaims;
  readonly concurrency = new GroupConcurrency(['prompt', 'slow'], OUTPUTS_PER_PACE);
  readonly brand: string;
  readonly minuteMs: number;
  readonly random = Math.random;

  constructor(
    @Inject(POOL) pool: Pool,
    @Inject(SETTINGS) { brand, minuteMs }: Settings,
    readonly leases: Leases,
    readonly queues: OutputQueues,
    readonly bodies: DeliveryBodies,
    readonly sender: DeliverySender,
    readonly aggregates: AggregateStore,
    readonly vault: SecretVault,
    readonly progress: ProjectionProgress,
    readonly notifications: Notifications,
    @Inject(CLOCK) readonly clock: Clock,
    @Inject(LOG) readonly log: Log,
  ) {
    this.claims = new DueClaims(pool, leases, DUE_OUTPUTS);
    this.brand = brand;
    this.minuteMs = minuteMs;
  }
}

/** Webhook outputs: events are scheduled for them, and delivered (D-29, D-30). */
@Module({
  imports: [PostgresModule, EventStoreModule, ReadModelsModule, SecretsModule, ProcessingModule, PlatformsModule],
  providers: [
    SchedulingDependencies,
    FollowingDependencies,
    DeliveringDependencies,
    {
      provide: DeliverySender,
      inject: [SETTINGS, Resources],
      useFactory: async ({ allowPrivateAddresses }: Settings, resources: Resources) => {
        const policy = createAddressPolicy(allowPrivateAddresses);
        const timeouts = { headersMs: ATTEMPT_TIMEOUT_MS, idleMs: ATTEMPT_TIMEOUT_MS };
        const client = new GuardedClient({ policy, timeouts, connections: OUTPUTS_PER_HOST });
        await resources.add(() => client.close());
        return new DeliverySender(client);
      },
    },
    {
      provide: SCHEDULE_DELIVERIES,
      inject: [SchedulingDependencies, FollowingDependencies],
      useFactory: (scheduling: SchedulingDependencies, following: FollowingDependencies) => {
        const { aggregates, references, payloads, progress, pool, publishers, translator, clock } = scheduling;
        const texts = new PublishedTexts(aggregates, publishers, translator, clock);
        const [outputs, places] = [new ProjectOutputs(pool), new PostPlaces(pool)];
        const reaction = scheduleDeliveries({ aggregates, outputs, references, places, payloads, texts, progress });
        return new EventSagaTask(new EventSaga(reaction, following));
      },
    },
    {
      provide: DELIVER_WEBHOOKS,
      inject: [DeliveringDependencies],
      useFactory: (dependencies: DeliveringDependencies) => new PublishingTask(new DeliverWebhooksSaga(dependencies)),
    },
  ],
  exports: [SCHEDULE_DELIVERIES, DELIVER_WEBHOOKS],
})
export class WebhooksModule {}
