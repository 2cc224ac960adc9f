import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { EMPTY, from, lastValueFrom, type Observable } from 'rxjs';
import { KeyedSemaphore } from '../../runtime/keyed-semaphore.js';
import { getCaller, getOwnerScope } from './caller.js';

/** Heavy reads of one caller that are answered at the same time. */
const AT_ONCE = 2;

/** Turns of all heavy routes of the process. */
const turns = new KeyedSemaphore(AT_ONCE);

/**
 * Answers reads that may be large, such as full lists, two at a time for each owner and for the operator (D-68). Further ones wait in
 * the order in which they came, so that many connections of one owner occupy the thread no more than two do.
 */
@Injectable()
export class HeavyReadTurn implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const release = await turns.acquire(getOwnerScope(getCaller(request)) ?? 'operator');
    try {
      // A client that has left meanwhile needs no answer.
      if (request.raw.socket.destroyed) return EMPTY;
      return from([await lastValueFrom(next.handle())]);
    } finally {
      release();
    }
  }
}
