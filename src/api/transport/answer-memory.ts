import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import type { MemoryBudget } from '../../runtime/memory-budget.js';
import { countLargeAnswer } from './heavy-reads.js';
import { buildProblemView } from './problem.view.js';
import { isLarge, unreadAnswersProblem } from './request-memory.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose share of memory the answer uses; null for an unauthenticated request, or an operator's without a body. */
    answerHolder: string | null;
  }
}

/**
 * Starts large answers one after another, with other work in between, and counts them against a budget until their
 * clients have read them. A GET that would exceed the budget is answered 503. Other requests are always answered,
 * because they may have changed something. An answer without a holder counts against the address of its client.
 */
export const boundAnswers = (fastify: FastifyInstance, answers: MemoryBudget): void => {
  fastify.decorateRequest('answerHolder', null);
  fastify.addHook('onSend', async (request, reply, payload) => {
    // Writing an answer occupies the thread; many at the same moment would block it.
    const isOneWrite = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isOneWrite && isLarge(payload.length)) await yieldToEventLoop();
    // Files are buffers that all requests share; streams limit themselves.
    if (typeof payload !== 'string' || !isLarge(payload.length)) return payload;
    // The client has disconnected: neither of the events below would release the reservation.
    if (reply.raw.closed) return payload;
    const holder = request.answerHolder ?? request.clientAddress;
    const reservation = answers.reserveHeld(holder, payload.length);
    if (reservation) {
      countLargeAnswer(holder, payload.length);
      for (const end of ['finish', 'close']) reply.raw.once(end, () => reservation.release());
      return payload;
    }
    if (request.method !== 'GET') return payload;
    const problem = unreadAnswersProblem();
    void reply.code(problem.status).type('application/json; charset=utf-8').headers(problem.headers);
    void reply.removeHeader('content-length');
    return JSON.stringify(buildProblemView(problem, request.id));
  });
};
