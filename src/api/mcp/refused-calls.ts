import { Injectable } from '@nestjs/common';
import { measureLatency } from '../public/gate/request-log-entry.js';
import { RequestRecorder } from '../public/gate/request-recorder.js';
import { nameAgent, type ToolCaller } from './gateway-calls.js';

/** A tool call that was refused before it became a request to `/v1`. */
export interface RefusedCall {
  readonly tool: string;
  /** The cause; snake_case. */
  readonly reason: 'unknown_tool' | 'invalid_arguments' | 'invalid_targets';
  /** Start time: `performance.now()` timestamp, in ms. */
  readonly startedAt: number;
}

/**
 * Writes refused tool calls to the request log of their endpoint (D-33). A tool result has no HTTP status, so an entry
 * gets the status of a request with the same error.
 */
@Injectable()
export class RefusedCalls {
  constructor(private readonly recorder: RequestRecorder) {}

  /** Adds an entry. Never throws, never waits. */
  record(caller: ToolCaller, { tool, reason, startedAt }: RefusedCall): void {
    this.recorder.record(caller.endpointId, {
      request_id: caller.requestId,
      at: caller.receivedAt,
      ip: caller.address,
      user_agent: nameAgent(caller, tool),
      route: caller.route,
      decision: 'rejected_validation',
      reason,
      http_status: reason === 'unknown_tool' ? 404 : 422,
      latency_ms: measureLatency({ arrivedAt: startedAt }),
      payload_bytes: caller.bytes,
      trace_id: null,
      post_id: null,
      why: { rule: reason, figures: { tool }, event_id: null },
    });
  }
}
