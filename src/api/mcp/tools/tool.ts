import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { GatewayAnswer, GatewayCall } from '../gateway-calls.js';

/** Sends a request to the public API on behalf of the tool's caller. */
export type Send = (call: Omit<GatewayCall, 'tool'>) => Promise<GatewayAnswer>;

/** The result of a tool call: a sentence for the assistant, and the fields of the output schema. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: Record<string, unknown>;
}

/** An assistant tool (D-39): a client of the public API. */
export interface Tool {
  /** Its name, schemas and annotations, as `tools/list` shows them. */
  readonly definition: ToolDefinition;
  /** True if its calls do not appear in any request log (D-44). */
  readonly isSandbox?: true;
  /** Calls the tool. @param args the arguments as sent @throws ToolError */
  call(args: unknown, send: Send, slug: string): Promise<ToolAnswer>;
}

/** Schemas of a tool's arguments, by name. */
export type ArgumentSchemas = NonNullable<ToolDefinition['inputSchema']['properties']>;

/** Names of the tools, which contain the brand (D-34). */
export type ToolNames = Readonly<
  Record<'discover' | 'publish' | 'pause' | 'resume' | 'sandbox' | 'status' | 'reschedule' | 'cancel', string>
>;
