import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseError } from 'pg';
import { EVENT_STORE, type EventStore, StorageFailed, Unavailable } from '../../event-store/port.js';
import { LOG, type Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import { findStorageError, isUnavailable } from '../../postgres/unavailable.js';
import { GateRejection } from '../public/gate/gate-request.js';
import { describeRequest, setLogRejection } from '../public/gate/request-recorder.js';
import { HTTP_MESSAGES, SERVICE_MESSAGES } from './messages.js';
import { buildProblemView, HttpProblem } from './problem.view.js';

/**
 * Converts errors to responses. An HttpProblem is sent as is, a framework error keeps its status, and an outage or full
 * disk becomes a 503. Any other error becomes a 500 and is logged.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(LOG) private readonly log: Log,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent) return;
    if (error instanceof GateRejection) setLogRejection(request, error);
    const problem = this.problemOf(error, request);
    void reply.code(problem.status).headers(problem.headers).send(this.buildBody(problem, request));
  }

  /** Builds an error response body (D-6). */
  protected buildBody(problem: HttpProblem, request: FastifyRequest): object {
    return buildProblemView(problem, request.id);
  }

  private problemOf(error: unknown, request: FastifyRequest): HttpProblem {
    if (error instanceof HttpProblem) return error;
    if (error instanceof StorageFailed || findStorageError(error)) {
      // The store logs the cause and reports it at /readyz.
      if (!(error instanceof StorageFailed)) this.store.checkAppends();
      const { code } = error as { readonly code: string };
      this.log.warn(
        { ...describeRequest(request), code },
        'failed to answer a request: the event store or the database refuses it',
      );
      // An operator must fix this, so the response asks clients to wait longer.
      return HttpProblem.withRetryAfter(30, 503, 'storage_unavailable', SERVICE_MESSAGES.storage);
    }
    if (error instanceof Unavailable || isUnavailable(error) || isMissingReadModel(error)) {
      this.log.warn(
        { ...describeRequest(request), reason: reasonOf(error) },
        'failed to answer a request: the database or event store is unavailable',
      );
      return HttpProblem.withRetryAfter(5, 503, 'unavailable', SERVICE_MESSAGES.unavailable);
    }
    if (error instanceof HttpException) return frameworkProblem(error.getStatus(), error.message);
    const { statusCode, message } = error as { statusCode?: number; message?: string };
    if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
      return frameworkProblem(statusCode, message ?? '');
    this.log.error({ ...describeRequest(request), err: error }, 'failed to answer a request: internal error');
    return HttpProblem.withMessage(500, 'internal', SERVICE_MESSAGES.internal);
  }
}

/** True if the worker has not built a read model yet: undefined table, column or schema. */
const isMissingReadModel = (error: unknown): boolean =>
  error instanceof DatabaseError && ['42P01', '42703', '3F000'].includes(error.code ?? '');

const frameworkProblem = (status: number, message: string): HttpProblem =>
  status === 404
    ? HttpProblem.withMessage(404, 'not_found', HTTP_MESSAGES.noRoute)
    : HttpProblem.withMessage(status, 'bad_request', message);
