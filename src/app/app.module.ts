import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { ProblemFilter } from '../api/transport/problem.filter.js';
import { ConsoleModule } from './modules/console.module.js';
import { CoreModule } from './modules/core.module.js';
import { DocumentationModule } from './modules/documentation.module.js';
import { EventStoreModule } from './modules/event-store.module.js';
import { HealthModule } from './modules/health.module.js';
import { ManagementApiModule } from './modules/management-api.module.js';
import { PlatformsModule } from './modules/platforms.module.js';
import { PublicApiModule } from './modules/public-api.module.js';
import { ReadModelsModule } from './modules/read-models.module.js';
import { SecretsModule } from './modules/secrets.module.js';
import { SignInModule } from './modules/sign-in.module.js';
import { ToolsModule } from './modules/tools.module.js';
import { WallsModule } from './modules/walls.module.js';
import { WorkerModule } from './modules/worker.module.js';
import type { ProcessOptions } from './process-options.js';
import type { Resources } from './resources.js';
import { RootController } from './root.controller.js';

/** Root module of a gateway process; the settings decide which roles it runs. */
@Module({})
export class AppModule {
  static forRoot(options: ProcessOptions, resources: Resources): DynamicModule {
    const { roles, demo } = options.settings;
    return {
      module: AppModule,
      imports: [
        CoreModule.forRoot(options, resources),
        CqrsModule.forRoot(),
        EventStoreModule,
        HealthModule,
        // Parts of every running process, regardless of its roles.
        ...[PlatformsModule, ReadModelsModule, SecretsModule],
        ...(roles.has('worker') ? [WorkerModule] : []),
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
