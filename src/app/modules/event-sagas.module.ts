import { type FactoryProvider, Inject, Injectable, Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { Deletions } from '../../commands/deletion/deletions.js';
import { InputWithdrawal } from '../../commands/endpoint/input-withdrawal.js';
import { OutputWithdrawal } from '../../commands/webhook-output/output-withdrawal.js';
import { monthlyPostsOf } from '../../config/limits-profile.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { type Log, LOG } from '../../kernel/log.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import { ChannelsWithoutCredentials } from '../../projections/discovery/channels-without-credentials.queries.js';
import { NoticeChats } from '../../projections/discovery/notice-chats.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { EventSaga, type EventSagaDependencies } from '../../sagas/engine/event-saga.js';
import { completeDeletions } from '../../sagas/complete-deletions/complete-deletions.js';
import { DueErasures, type DueErasuresDependencies } from '../../sagas/erase-replaced/due-erasures.js';
import { noteTranslations } from '../../sagas/erase-replaced/note-translations.js';
import { eraseReplaced } from '../../sagas/erase-replaced/erase-replaced.js';
import {
  FlagMissingCredentials,
  type FlagMissingCredentialsDependencies,
} from '../../sagas/flag-missing-credentials/flag-missing-credentials.js';
import { DeliverNotices } from '../../sagas/deliver-notices/deliver-notices.js';
import { NoticeQueue } from '../../sagas/deliver-notices/notice-queue.js';
import { queueNotices } from '../../sagas/deliver-notices/queue-notices.js';
import { raiseNotices } from '../../sagas/raise-notices/raise-notices.js';
import { raiseQuotaNotices } from '../../sagas/raise-notices/raise-quota-notices.js';
import { PublishedCheckpoints } from '../../history/transparency-log/published-checkpoint.js';
import { PruneExpired } from '../../sagas/prune-expired/prune-expired.js';
import { WriteTransparencyLog } from '../../sagas/write-transparency-log/write-transparency-log.js';
import { Database } from '../database.js';
import { createLogIdentity } from '../log-identity.js';
import { withdrawInput } from '../../sagas/withdraw-input/withdraw-input.js';
import { Publishers } from '../../platforms/publishers.js';
import { SecretVault } from '../../secrets/vault.js';
import type { BackgroundTask } from '../worker/background-task.js';
import { EventSagaTask } from '../worker/event-saga-task.js';
import { CommandsModule } from './commands.module.js';
import { EventStoreModule } from './event-store.module.js';
import { PlatformsModule } from './platforms.module.js';
import { PostgresModule } from './postgres.module.js';
import { ReadModelsModule } from './read-models.module.js';
import { SecretsModule } from './secrets.module.js';

/** Injection token of the tasks that run {@link SAGAS}. */
export const SAGA_TASKS = Symbol('SagaTasks');

@Injectable()
class Dependencies implements EventSagaDependencies {
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
class ErasureDependencies implements DueErasuresDependencies {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly notes: ErasureNotes,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly codec: EventCodec,
    readonly vault: SecretVault,
    readonly publishers: Publishers,
    readonly leases: Leases,
    @Inject(LOG) readonly log: Log,
  ) {}
}

@Injectable()
class CredentialsDependencies implements FlagMissingCredentialsDependencies {
  constructor(
    readonly channels: ChannelsWithoutCredentials,
    readonly aggregates: AggregateStore,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly progress: ProjectionProgress,
    readonly platforms: PlatformCatalogue,
    readonly leases: Leases,
    @Inject(CLOCK) readonly clock: Clock,
    @Inject(LOG) readonly log: Log,
  ) {}
}

/** The sagas that a worker runs. A new one needs an entry here, and one in LATECOMERS if it starts at the end of the log. */
const SAGAS: readonly FactoryProvider<BackgroundTask>[] = [
  {
    provide: Symbol('FlagMissingCredentials'),
    inject: [CredentialsDependencies],
    useFactory: (dependencies: CredentialsDependencies) => new EventSagaTask(new FlagMissingCredentials(dependencies)),
  },
  {
    provide: Symbol('WriteTransparencyLog'),
    inject: [Dependencies, PublishedCheckpoints, SETTINGS, Database],
    useFactory: (
      dependencies: Dependencies,
      published: PublishedCheckpoints,
      settings: Settings,
      { historyKeys }: Database,
    ) => {
      const identity = createLogIdentity(settings, historyKeys);
      const { pool, store, codec, leases, log } = dependencies;
      return new EventSagaTask(new WriteTransparencyLog({ pool, store, codec, leases, log, identity, published }));
    },
  },
  {
    provide: Symbol('EraseReplaced'),
    inject: [AggregateStore, ErasureNotes, Dependencies],
    useFactory: (aggregates: AggregateStore, notes: ErasureNotes, dependencies: Dependencies) =>
      new EventSagaTask(new EventSaga(eraseReplaced(aggregates, notes), dependencies)),
  },
  {
    provide: Symbol('NoteTranslations'),
    inject: [ErasureNotes, Dependencies],
    useFactory: (notes: ErasureNotes, dependencies: Dependencies) =>
      new EventSagaTask(new EventSaga(noteTranslations(notes), dependencies)),
  },
  {
    provide: Symbol('DueErasures'),
    inject: [ErasureDependencies],
    useFactory: (dependencies: ErasureDependencies) => new EventSagaTask(new DueErasures(dependencies)),
  },
  {
    provide: Symbol('PruneExpired'),
    inject: [Dependencies, ProjectionProgress, SETTINGS],
    useFactory: (
      { pool, leases, log }: Dependencies,
      progress: ProjectionProgress,
      { deliveryBodyMs, jobMs }: Settings,
    ) => new EventSagaTask(new PruneExpired({ pool, leases, progress, log, deliveryBodyMs, jobMs })),
  },
  {
    provide: Symbol('CompleteDeletions'),
    inject: [Deletions, Dependencies],
    useFactory: (deletions: Deletions, dependencies: Dependencies) =>
      new EventSagaTask(new EventSaga(completeDeletions(deletions), dependencies)),
  },
  {
    provide: Symbol('RaiseNotices'),
    inject: [AggregateStore, Dependencies],
    useFactory: (aggregates: AggregateStore, dependencies: Dependencies) =>
      new EventSagaTask(new EventSaga(raiseNotices(aggregates), dependencies)),
  },
  {
    provide: Symbol('RaiseQuotaNotices'),
    inject: [AggregateStore, ProjectionProgress, SETTINGS, Dependencies],
    useFactory: (
      aggregates: AggregateStore,
      progress: ProjectionProgress,
      { limitsProfile }: Settings,
      dependencies: Dependencies,
    ) => {
      const { pool } = dependencies;
      const monthlyPosts = monthlyPostsOf(limitsProfile);
      const reaction = raiseQuotaNotices({ pool, aggregates, progress, monthlyPosts });
      return new EventSagaTask(new EventSaga(reaction, dependencies));
    },
  },
  {
    provide: Symbol('QueueNotices'),
    inject: [Dependencies],
    useFactory: (dependencies: Dependencies) =>
      new EventSagaTask(new EventSaga(queueNotices(new NoticeQueue(dependencies.pool)), dependencies)),
  },
  {
    provide: Symbol('DeliverNotices'),
    inject: [Dependencies, SecretVault, PlatformCatalogue, Publishers, SETTINGS],
    useFactory: (
      { pool, leases, log }: Dependencies,
      vault: SecretVault,
      platforms: PlatformCatalogue,
      publishers: Publishers,
      { minuteMs }: Settings,
    ) => {
      const stores = { queue: new NoticeQueue(pool), chats: new NoticeChats(pool), vault };
      return new EventSagaTask(new DeliverNotices({ ...stores, platforms, publishers, leases, log, minuteMs }));
    },
  },
  {
    provide: Symbol('WithdrawInput'),
    inject: [InputWithdrawal, OutputWithdrawal, ProjectionProgress, Dependencies],
    useFactory: (
      withdrawal: InputWithdrawal,
      outputs: OutputWithdrawal,
      progress: ProjectionProgress,
      dependencies: Dependencies,
    ) => new EventSagaTask(new EventSaga(withdrawInput(withdrawal, outputs, progress), dependencies)),
  },
];

/**
 * Sagas that follow the log: notices to owners, the withdrawal of webhook input that a plan no longer has, the completion of
 * deletions, the erasure of what was replaced, or is not needed any more, and the transparency log of the
 * history.
 */
@Module({
  imports: [PostgresModule, EventStoreModule, ReadModelsModule, CommandsModule, SecretsModule, PlatformsModule],
  providers: [
    Dependencies,
    ErasureDependencies,
    CredentialsDependencies,
    ...SAGAS,
    {
      provide: SAGA_TASKS,
      inject: SAGAS.map(({ provide }) => provide),
      useFactory: (...tasks: BackgroundTask[]) => tasks,
    },
  ],
  exports: [SAGA_TASKS],
})
export class EventSagasModule {}
