import { Module } from '@nestjs/common';
import {
  BUILT_CONSOLE,
  CONSOLE_FOLDER,
  ConsoleController,
  ConsoleFiles,
} from '../../api/console/console.controller.js';
import { DocsController, OpenApiController } from '../../api/documentation/docs.controller.js';
import { OneTimeCode, SignInController } from '../../api/management/sign-in/sign-in.controller.js';
import { GatewayCalls, RefusedCalls } from '../../api/mcp/gateway-calls.js';
import { ToolServer } from '../../api/mcp/tool-server.js';
import { ToolSessions } from '../../api/mcp/tool-sessions.js';
import { ToolsController } from '../../api/mcp/tools.controller.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { WallsController } from '../walls.controller.js';
import { EventStoreModule } from './event-store.module.js';
import { ManagementApiModule } from './management-api.module.js';
import { PublicApiModule } from './public-api.module.js';
import { PlatformsModule } from './publishing.modules.js';

/** The web console, /console. */
@Module({
  controllers: [ConsoleController],
  providers: [
    ConsoleFiles,
    {
      provide: CONSOLE_FOLDER,
      inject: [PROCESS_OPTIONS],
      useFactory: ({ overrides }: ProcessOptions) => overrides?.consoleFolder ?? BUILT_CONSOLE,
    },
  ],
  exports: [ConsoleFiles],
})
export class ConsoleModule {}

/** The documentation of the API: /openapi.json and /docs (D-31). */
@Module({ imports: [PlatformsModule], controllers: [OpenApiController, DocsController] })
export class DocumentationModule {}

/** Role `tools`: the assistant tool server. Its tools send requests to the public API within the process (ADR-161). */
@Module({
  imports: [PublicApiModule, EventStoreModule],
  controllers: [ToolsController],
  providers: [GatewayCalls, RefusedCalls, ToolServer, ToolSessions],
})
export class ToolsModule {}

/** The walls of the stand-ins, in demo mode. */
@Module({ imports: [PlatformsModule], controllers: [WallsController] })
export class WallsModule {}

/** Sign-in with the link that is printed at startup, in demo mode. */
@Module({
  imports: [ManagementApiModule],
  controllers: [SignInController],
  providers: [{ provide: OneTimeCode, useFactory: () => new OneTimeCode() }],
})
export class SignInModule {}
