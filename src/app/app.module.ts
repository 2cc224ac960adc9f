import { Controller, type DynamicModule, Get, Inject, Module, Optional, Res } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ConsoleFiles } from '../api/console/console.controller.js';
import { ProblemFilter } from '../api/transport/problem.filter.js';
import { getPathPrefix, type Settings } from '../config/settings.js';
import { SETTINGS } from '../config/tokens.js';
import {
  ConsoleModule,
  DocumentationModule,
  ManagementApiModule,
  PublicApiModule,
  SignInModule,
  ToolsModule,
  WallsModule,
} from './modules/api.modules.js';
import { CoreModule } from './modules/core.module.js';
import { HealthModule } from './modules/health.module.js';
import { SharedModule } from './modules/shared.module.js';
import { WorkerModule } from './modules/worker.module.js';
import type { ProcessOptions, Resources } from './process-options.js';

/** Pages to show in a browser, in order of preference. */
const PAGES = ['/console', '/walls', '/docs'];
/** API routes as written in the documentation, each with the method and path that the router uses. */
const ROUTES = {
  'POST /v1/webhooks/{slug}': ['POST', '/v1/webhooks/:slug'],
  'GET /v1/webhooks/{slug}/info': ['GET', '/v1/webhooks/:slug/info'],
  'POST /v1/sandbox/test': ['POST', '/v1/sandbox/test'],
  'GET /manage/v1/owners': ['GET', '/manage/v1/owners'],
  'GET /healthz': ['GET', '/healthz'],
  'GET /readyz': ['GET', '/readyz'],
} as const;

/** Redirects a browser from the root to the console, the demo's walls, or the documentation. */
@Controller()
export class RootController {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'roles' | 'baseUrl'>,
    /** Absent without the role `api`. */
    @Optional() private readonly console?: ConsoleFiles,
  ) {}

  /** Redirects to the first page that this process serves; if there is none, lists routes that it serves. */
  @Get()
  root(@Res() reply: FastifyReply): void {
    const router = this.host.httpAdapter.getInstance<FastifyInstance>();
    const isServed = (url: string): boolean => router.hasRoute({ method: 'GET', url });
    const page = PAGES.find((url) => isServed(url) && (url !== '/console' || this.console?.isBuilt()));
    if (page !== undefined) return void reply.redirect(getPathPrefix(this.settings) + page, 302);
    // A process that has only the role `tools` has the routes of /v1 for its tools, and hides them from clients.
    const isHidden = (url: string): boolean => url.startsWith('/v1/') && !this.settings.roles.has('api');
    const routes = Object.entries(ROUTES).filter(
      ([, [method, url]]) => router.hasRoute({ method, url }) && !isHidden(url),
    );
    void reply.send({ ok: true, routes: routes.map(([route]) => route) });
  }
}

/** Root module of a gateway process; the settings decide which roles it runs. */
@Module({})
export class AppModule {
  static async forRoot(options: ProcessOptions, resources: Resources): Promise<DynamicModule> {
    const { roles, demo } = options.settings;
    return {
      module: AppModule,
      imports: [
        await CoreModule.forRoot(options, resources),
        CqrsModule.forRoot(),
        SharedModule,
        HealthModule,
        ...(roles.has('worker') ? [WorkerModule.forRoot(options)] : []),
        ...(roles.has('api') ? [PublicApiModule, ManagementApiModule, DocumentationModule, ConsoleModule] : []),
        ...(roles.has('tools') ? [ToolsModule] : []),
        ...(demo ? [WallsModule] : []),
        ...(demo && roles.has('api') ? [SignInModule] : []),
      ],
      controllers: [RootController],
      providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
    };
  }
}
