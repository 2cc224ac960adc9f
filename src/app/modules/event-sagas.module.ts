import { Inject, Injectable, Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { Deletions } from '../../commands/deletion/deletions.js';
import { InputWithdrawal } from '../../commands/endpoint/input-withdrawal.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { type Log, LOG } from '../../kernel/log.js';
import { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import { ChannelsWithoutCredentials } from '../../projections/discovery/channels-without-credentials.queries.js';
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
import { raiseNotices } from '../../sagas/raise-notices/raise-notices.js';
import { withdrawInput } from '../../sagas/withdraw-input/withdraw-input.js';
import { Publishers } from '../../platforms/publishers.js';
import { SecretVault } from '../../secrets/vault.js';
import { EventSagaTask } from '../worker/event-saga-task.js';
import { CommandsModule } from './commands.module.js';
import { EventStoreModule } from './event-store.module.js';
import { PlatformsModule } from './platforms.module.js';
import { PostgresModule } from './postgres.module.js';
import { ReadModelsModule } from './read-models.module.js';
import { SecretsModule } from './secrets.module.js';

/** Injection tokens of the sagas that follow the log, each as a task. */
export const RAISE_NOTICES = Symbol('RaiseNotices');
export const WITHDRAW_INPUT = Symbol('WithdrawInput');
export const ERASE_REPLACED = Symbol('EraseReplaced');
export const NOTE_TRANSLATIONS = Symbol('NoteTranslations');
export const COMPLETE_DELETIONS = Symbol('CompleteDeletions');
export const DUE_ERASURES = Symbol('DueErasures');
export const FLAG_MISSING_CREDENTIALS = Symbol('FlagMissingCredentials');

@Injectable()
class Dependencies implements EventSagaDependencies {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly codec: EventCodec,
    readonly leases: Leases,
    @Inject(LOG) readonly log: Log,
  ) {}
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

/**
 * Sagas that follow the log: notices to owners, the withdrawal of webhook input that a plan no longer has, the completion of
 * deletions, and the erasure of what was replaced, or is not needed any more.
 */
@Module({
  imports: [PostgresModule, EventStoreModule, ReadModelsModule, CommandsModule, SecretsModule, PlatformsModule],
  providers: [
    Dependencies,
    ErasureDependencies,
    CredentialsDependencies,
    {
      provide: FLAG_MISSING_CREDENTIALS,
      inject: [CredentialsDependencies],
      useFactory: (dependencies: CredentialsDependencies) =>
        new EventSagaTask(new FlagMissingCredentials(dependencies)),
    },
    {
      provide: ERASE_REPLACED,
      inject: [AggregateStore, ErasureNotes, Dependencies],
      useFactory: (aggregates: AggregateStore, notes: ErasureNotes, dependencies: Dependencies) =>
        new EventSagaTask(new EventSaga(eraseReplaced(aggregates, notes), dependencies)),
    },
    {
      provide: NOTE_TRANSLATIONS,
      inject: [ErasureNotes, Dependencies],
      useFactory: (notes: ErasureNotes, dependencies: Dependencies) =>
        new EventSagaTask(new EventSaga(noteTranslations(notes), dependencies)),
    },
    {
      provide: DUE_ERASURES,
      inject: [ErasureDependencies],
      useFactory: (dependencies: ErasureDependencies) => new EventSagaTask(new DueErasures(dependencies)),
    },
    {
      provide: COMPLETE_DELETIONS,
      inject: [Deletions, Dependencies],
      useFactory: (deletions: Deletions, dependencies: Dependencies) =>
        new EventSagaTask(new EventSaga(completeDeletions(deletions), dependencies)),
    },
    {
      provide: RAISE_NOTICES,
      inject: [AggregateStore, Dependencies],
      useFactory: (aggregates: AggregateStore, dependencies: Dependencies) =>
        new EventSagaTask(new EventSaga(raiseNotices(aggregates), dependencies)),
    },
    {
      provide: WITHDRAW_INPUT,
      inject: [InputWithdrawal, ProjectionProgress, Dependencies],
      useFactory: (withdrawal: InputWithdrawal, progress: ProjectionProgress, dependencies: Dependencies) =>
        new EventSagaTask(new EventSaga(withdrawInput(withdrawal, progress), dependencies)),
    },
  ],
  exports: [
    COMPLETE_DELETIONS,
    RAISE_NOTICES,
    WITHDRAW_INPUT,
    ERASE_REPLACED,
    NOTE_TRANSLATIONS,
    DUE_ERASURES,
    FLAG_MISSING_CREDENTIALS,
  ],
})
export class EventSagasModule {}
