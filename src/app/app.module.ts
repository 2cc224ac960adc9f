import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { AcceptPostHandler } from '../commands/post/accept-post.js';
import { DisableEndpointHandler } from '../commands/endpoint/disable-endpoint.js';
import { InputWithdrawal } from '../commands/endpoint/input-withdrawal.js';
import { KeyClaims } from '../commands/post/key-claims.js';
import { managementHandlers } from '../commands/handlers.js';
import { LogRequestsHandler } from '../commands/request-log/log-requests.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/tokens.js';
import { EventCodec } from '../event-store/codec.js';
import { EVENT_STORE } from '../event-store/port.js';
import { Streams } from '../event-store/aggregate-store.js';
import { HealthController } from '../health/health.controller.js';
import { Metrics } from '../health/metrics.js';
import { Authentication } from '../api/public/gate/authentication.js';
import { Entrance } from '../api/public/gate/admission.js';
import { Gate } from '../api/public/gate/gate.js';
import { LimitGuard } from '../api/public/gate/limit-guard.js';
import { RequestRecorder } from '../api/public/gate/request-recorder.js';
import { ProblemFilter } from '../api/transport/problem.filter.js';
import { v1 } from '../api/public/public-api.module.js';
import { WebhooksController } from '../api/public/webhooks.controller.js';
import { type Clock, CLOCK, systemClock } from '../kernel/clock.js';
import { LOG } from '../kernel/log.js';
import { Limiter } from '../limits/limiter.js';
import { MonthlyQuota } from '../limits/monthly-quota.js';
import { manage } from '../api/management/management-api.module.js';
import { Inspector } from '../media/inspector.js';
import { Publishers } from '../platforms/registry.js';
import { POOL } from '../postgres/tokens.js';
import { EndpointAccessQueries } from '../projections/discovery/endpoint-access.queries.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { SecretVault } from '../secrets/vault.js';
import type { Infrastructure } from './infrastructure.js';
import { type Networks, NETWORKS } from './stand-ins.js';
import { WallsController } from './walls.controller.js';
import { inputWithdrawalOf, publishersOf } from './worker.js';

/** The HTTP side of a process: what its roles ask for. */
@Module({})
export class AppModule {
  static with(settings: Settings, on: Infrastructure, networks: Networks, log: Logger): DynamicModule {
    const isApi = settings.roles.has('api');
    const controllers: Type[] = [HealthController];
    if (isApi) controllers.push(WebhooksController, ...v1.controllers, ...manage.controllers);
    if (settings.demo) controllers.push(WallsController);
    return {
      module: AppModule,
      imports: [CqrsModule.forRoot()],
      controllers,
      providers: [
        ...infrastructure(settings, on, log),
        { provide: NETWORKS, useValue: networks },
        { provide: Publishers, useValue: new Publishers(publishersOf(networks.urls)) },
        ...(isApi ? [...commandHandlers, ...gate, ...v1.providers, ...manage.providers] : []),
      ],
    };
  }
}

const commandHandlers: Provider[] = [
  ...[AcceptPostHandler, DisableEndpointHandler, LogRequestsHandler],
  ...managementHandlers,
];

const gate: Provider[] = [
  ...[Gate, Entrance, Authentication, LimitGuard, RequestRecorder],
  {
    provide: Limiter,
    inject: [POOL, SETTINGS],
    useFactory: (pool: Pool, { limitsProfile }: Settings) => new Limiter(pool, limitsProfile),
  },
  {
    provide: MonthlyQuota,
    inject: [QueryBus, CLOCK, SETTINGS],
    useFactory: (queries: QueryBus, clock: Clock, { limitsProfile }: Settings) =>
      new MonthlyQuota(queries, clock, limitsProfile),
  },
];

const infrastructure = (settings: Settings, on: Infrastructure, log: Logger): Provider[] => [
  { provide: SETTINGS, useValue: settings },
  { provide: POOL, useValue: on.pool },
  { provide: CLOCK, useValue: systemClock },
  { provide: LOG, useValue: log },
  { provide: EVENT_STORE, useValue: on.store },
  { provide: EventCodec, useValue: on.codec },
  { provide: Streams, useValue: on.streams },
  { provide: InputWithdrawal, useValue: inputWithdrawalOf(settings, on) },
  { provide: KeyClaims, useValue: new KeyClaims(on.streams) },
  { provide: Metrics, useValue: on.metrics },
  { provide: SecretVault, useValue: on.vault },
  { provide: Inspector, useValue: on.inspector },
  { provide: ProjectionProgress, useValue: on.progress },
  { provide: EndpointAccessQueries, useValue: new EndpointAccessQueries(on.pool) },
  { provide: APP_FILTER, useClass: ProblemFilter },
];
