import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseError } from 'pg';
import { Unavailable } from '../../event-store/port.js';
import { type Log, LOG } from '../../kernel/log.js';
import { isUnavailable } from '../../postgres/unavailable.js';
import { Refusal } from '../public/gate/refusal.js';
import { noteRefusal } from '../public/gate/request-notes.js';
import { HttpProblem, problemBody } from './http-problem.js';

const RETRY_AFTER_SECONDS = '5';

/** Every error becomes an answer that says what to do: refusals as they are, outages 503, anything else a logged 500. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent) return;
    if (error instanceof Refusal) noteRefusal(request, error);
    const problem = this.problemOf(error, request);
    void reply
      .code(problem.status)
      .headers({ ...problem.headers })
      .send(problemBody(problem, request.id));
  }

  private problemOf(error: unknown, request: FastifyRequest): HttpProblem {
    if (error instanceof HttpProblem) return error;
    if (error instanceof Unavailable || isUnavailable(error) || isNotBuiltYet(error)) {
      this.log.warn({ request_id: request.id, error: String(error) }, 'a request met an outage');
      const message = 'The service cannot reach its database or event store just now. Send the same request again.';
      return HttpProblem.of(503, 'unavailable', message, { 'retry-after': RETRY_AFTER_SECONDS });
    }
    if (error instanceof HttpException) return ofFramework(error.getStatus(), error.message);
    const { statusCode, message } = error as { statusCode?: number; message?: string };
    if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
      return ofFramework(statusCode, message ?? '');
    this.log.error(
      { request_id: request.id, error: error instanceof Error ? error.stack : String(error) },
      'internal error',
    );
    return HttpProblem.of(
      500,
      'internal',
      'Something broke on our side. Send the same request again, with the same Idempotency-Key.',
    );
  }
}

/** A read model that the worker has yet to make: undefined table or schema. */
const isNotBuiltYet = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === '42P01' || error.code === '3F000');

const ofFramework = (status: number, message: string): HttpProblem =>
  status === 404
    ? HttpProblem.of(404, 'not_found', 'There is nothing at this address. Check method and path.')
    : HttpProblem.of(status, 'bad_request', message);
