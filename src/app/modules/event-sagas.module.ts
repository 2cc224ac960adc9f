import { Inject, Injectable, Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { InputWithdrawal } from '../../commands/endpoint/input-withdrawal.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { type Log, LOG } from '../../kernel/log.js';
import { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { EventSaga, type EventSagaDependencies } from '../../sagas/engine/event-saga.js';
import { raiseNotices } from '../../sagas/raise-notices/raise-notices.js';
import { withdrawInput } from '../../sagas/withdraw-input/withdraw-input.js';
import { EventSagaTask } from '../worker/event-saga-task.js';
import { CommandsModule } from './commands.module.js';
import { EventStoreModule } from './event-store.module.js';
import { PostgresModule } from './postgres.module.js';
import { ReadModelsModule } from './read-models.module.js';

/** Injection tokens of the sagas that follow the log, each as a task. */
export const RAISE_NOTICES = Symbol('RaiseNotices');
export const WITHDRAW_INPUT = Symbol('WithdrawInput');

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

/** Sagas that follow the log: notices to owners, and the withdrawal of webhook input that a plan no longer has. */
@Module({
  imports: [PostgresModule, EventStoreModule, ReadModelsModule, CommandsModule],
  providers: [
    Dependencies,
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
  exports: [RAISE_NOTICES, WITHDRAW_INPUT],
})
export class EventSagasModule {}
