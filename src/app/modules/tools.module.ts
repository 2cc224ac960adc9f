import { Module } from '@nestjs/common';
import { GatewayCalls } from '../../api/mcp/gateway-calls.js';
import { RefusedCalls } from '../../api/mcp/refused-calls.js';
import { ToolServer } from '../../api/mcp/tool-server.js';
import { ToolSessions } from '../../api/mcp/tool-sessions.js';
import { ToolsController } from '../../api/mcp/tools.controller.js';
import { EventStoreModule } from './event-store.module.js';
import { PublicApiModule } from './public-api.module.js';

/** Role `tools`: the assistant tool server. Its tools send requests to the public API within the process (ADR-161). */
@Module({
  imports: [PublicApiModule, EventStoreModule],
  controllers: [ToolsController],
  providers: [GatewayCalls, RefusedCalls, ToolServer, ToolSessions],
})
export class ToolsModule {}
