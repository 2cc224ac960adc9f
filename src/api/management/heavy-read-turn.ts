import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { EMPTY, from, lastValueFrom, type Observable } from 'rxjs';
import { takeHeavyReadTurn } from '../transport/heavy-reads.js';
import { getHolder } from './api-key.guard.js';

/**
 * Processes large reads, such as full lists, two at a time per owner and for the operator (D-68). Further reads wait in
 * order of arrival, so an owner with many connections gets no more thread time than an owner with two.
 */
@Injectable()
export class HeavyReadTurn implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const release = await takeHeavyReadTurn(getHolder(request));
    try {
      // No response is needed if the client has disconnected in the meantime.
      if (request.raw.socket.destroyed) return EMPTY;
      return from([await lastValueFrom(next.handle())]);
    } finally {
      release();
    }
  }
}
