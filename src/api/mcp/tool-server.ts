import { readFileSync } from 'node:fs';
import {
  type AuthInfo,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { GatewayCalls, RefusedCalls, type ToolCaller } from './gateway-calls.js';
import { TOOL_DESCRIPTIONS, TOOL_SERVER_MESSAGES } from './messages.js';
import { discoverTool, pauseTool, resumeTool } from './tools/endpoint.tools.js';
import {
  cancelTool,
  editTool,
  postStatusTool,
  publishTool,
  rescheduleTool,
  sandboxTool,
  withdrawTool,
} from './tools/posts.tools.js';
import { RefusedArguments, type Tool, ToolError, type ToolNames } from './tools/tool.js';

/** Returns the names of the tools. @param brand their prefix (D-34) */
export const nameTools = (brand: string): ToolNames => ({
  discover: `${brand}_discover`,
  publish: `${brand}_publish`,
  pause: `${brand}_pause`,
  resume: `${brand}_resume`,
  sandbox: `${brand}_sandbox`,
  status: `${brand}_post_status`,
  reschedule: `${brand}_reschedule`,
  cancel: `${brand}_cancel`,
  edit: `${brand}_edit`,
  withdraw: `${brand}_withdraw`,
});

/** Creates the assistant tools (D-39). */
export const createTools = (names: ToolNames): readonly Tool[] => [
  discoverTool(names),
  publishTool(names),
  pauseTool(names),
  resumeTool(names),
  sandboxTool(names),
  postStatusTool(names),
  rescheduleTool(names),
  cancelTool(names),
  editTool(names),
  withdrawTool(names),
];

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** Maximum length of an unknown tool's name in errors and logs, in UTF-16 units; longer names are cut. */
const MAX_NAME = 64;

/** Creates Model Context Protocol servers with the tools of D-39. */
@Injectable()
export class ToolServer {
  private readonly tools: readonly Tool[];
  private readonly instructions: string;

  constructor(
    private readonly calls: GatewayCalls,
    private readonly refused: RefusedCalls,
    @Inject(SETTINGS) { brand }: Settings,
  ) {
    const names = nameTools(brand);
    this.tools = createTools(names);
    this.instructions = TOOL_DESCRIPTIONS.instructions(names);
  }

  /** Creates a server for one request or one session. Each message carries its caller. */
  create(): Server {
    const { instructions } = this;
    const server = new Server({ name: 'crosspost', version }, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler('tools/list', () => ({ tools: this.tools.map(({ definition }) => definition) }));
    server.setRequestHandler('tools/call', ({ params }, { http }) => {
      const caller = readCaller(http?.authInfo);
      const call = () => this.callTool(params.name, params.arguments, caller);
      return caller.memory ? caller.memory.during(call) : call();
    });
    return server;
  }

  private async callTool(name: string, args: unknown, caller: ToolCaller): Promise<CallToolResult> {
    const startedAt = performance.now();
    const tool = this.tools.find(({ definition }) => definition.name === name);
    if (!tool) {
      this.refused.record(caller, { tool: name.slice(0, MAX_NAME), reason: 'unknown_tool', startedAt });
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, this.describeUnknownTool(name));
    }
    try {
      const { text, structured } = await tool.call(
        args ?? {},
        (call) => this.calls.send(caller, { ...call, tool: name }),
        caller.slug,
      );
      return {
        content: [
          { type: 'text', text },
          { type: 'text', text: JSON.stringify(structured) },
        ],
        structuredContent: structured,
      };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error instanceof RefusedArguments && !tool.isSandbox)
        this.refused.record(caller, { tool: name, reason: error.reason, startedAt });
      const details = error.details && { type: 'text' as const, text: JSON.stringify(error.details) };
      return { content: [{ type: 'text', text: error.message }, ...(details ? [details] : [])], isError: true };
    }
  }

  private describeUnknownTool(name: string): string {
    const tools = this.tools.map(({ definition }) => definition.name).join(', ');
    return TOOL_SERVER_MESSAGES.unknownTool({ name: JSON.stringify(name.slice(0, MAX_NAME)), tools });
  }
}

/** Wraps a caller in the form that the SDK passes to handlers. */
export const describeCaller = (caller: ToolCaller): AuthInfo => ({
  token: '',
  clientId: caller.slug,
  scopes: [],
  extra: { caller },
});

const readCaller = (authInfo: AuthInfo | undefined): ToolCaller => {
  const caller = authInfo?.extra?.caller;
  if (!caller) throw new Error('a tool was called without a caller');
  return caller as ToolCaller;
};
