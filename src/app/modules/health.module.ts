import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { HealthController } from '../../health/health.controller.js';
import { Metrics } from '../../health/metrics.js';
import { EventStoreModule } from './event-store.module.js';
import { MetricsModule } from './metrics.module.js';
import { PostgresModule } from './postgres.module.js';

/** Liveness, readiness and metrics over HTTP, for every role. */
@Module({ imports: [PostgresModule, EventStoreModule, MetricsModule], controllers: [HealthController] })
export class HealthModule implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  onModuleInit(): void {
    this.metrics.watchHead(this.store);
  }
}
