import { Module } from '@nestjs/common';
import { ConsoleController, ConsoleFiles } from '../../api/console/console.controller.js';
import { DocsController, OpenApiController } from '../../api/documentation/docs.controller.js';
import { OneTimeCode, SignInController } from '../../api/management/sessions/sessions.controller.js';
import { GatewayCalls, RefusedCalls, ToolServer } from '../../api/mcp/tool-server.js';
import { ToolSessions } from '../../api/mcp/tool-sessions.js';
import { ToolsController } from '../../api/mcp/tools.controller.js';
import { WallsController } from '../walls.controller.js';
import { ManagementApiModule } from './management-api.module.js';
import { PublicApiModule } from './public-api.module.js';

/** The web console, /console. */
@Module({ controllers: [ConsoleController], providers: [ConsoleFiles], exports: [ConsoleFiles] })
export class ConsoleModule {}

/** The documentation of the API: /openapi.json and /docs (D-31). */
@Module({ controllers: [OpenApiController, DocsController] })
export class DocumentationModule {}

/** Role `tools`: the assistant tool server. Its tools send requests to the public API within the process (ADR-161). */
@Module({
  imports: [PublicApiModule],
  controllers: [ToolsController],
  providers: [GatewayCalls, RefusedCalls, ToolServer, ToolSessions],
})
export class ToolsModule {}

/** The walls of the stand-ins, in demo mode. */
@Module({ controllers: [WallsController] })
export class WallsModule {}

/** Sign-in with the link that is printed at startup, in demo mode. */
@Module({ imports: [ManagementApiModule], controllers: [SignInController], providers: [OneTimeCode] })
export class SignInModule {}
