import { Catch } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { HttpProblem } from '../transport/http-problem.js';
import { ProblemFilter } from '../transport/problem.filter.js';
import { buildProblemView } from '../transport/problem.view.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the JSON-RPC request in a body, if it could be read. */
    messageId?: string | number;
  }
}

/** Error codes of JSON-RPC 2.0, and of MCP for unauthenticated requests. */
const RPC_CODES = { parse: -32_700, invalidRequest: -32_600, unauthorized: -32_001, other: -32_000 } as const;

/** Codes of bodies that are not JSON at all (D-5). */
const UNREADABLE: ReadonlySet<string> = new Set(['not_json', 'not_utf8', 'byte_order_mark', 'empty_body']);

/** Formats errors as JSON-RPC responses whose `data` has the fields of every problem (D-6). */
@Catch()
export class JsonRpcProblemFilter extends ProblemFilter {
  protected override buildBody(problem: HttpProblem, { id, messageId }: FastifyRequest): object {
    const { errors, code, request_id, details } = buildProblemView(problem, id);
    const data = { code, request_id, errors, details };
    return { jsonrpc: '2.0', id: messageId ?? null, error: { code: codeOf(problem), message: errors.join(' '), data } };
  }
}

const codeOf = ({ status, problems }: HttpProblem): number => {
  if (status === 401) return RPC_CODES.unauthorized;
  if (status !== 400) return RPC_CODES.other;
  return UNREADABLE.has(problems[0]?.code ?? '') ? RPC_CODES.parse : RPC_CODES.invalidRequest;
};
