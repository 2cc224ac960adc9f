import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import type { MemoryBudget } from '../../runtime/memory-budget.js';
import { countLargeAnswer } from './heavy-reads.js';
import { buildProblemView } from './problem.view.js';
import { isLarge, unreadAnswersProblem } from './request-memory.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The holder whose share of the memory the response counts against; null for an unauthenticated request, or an
     * operator's request without a body.
     */
    answerHolder: string | null;
  }
}

/**
 * Starts large responses one after another, with other work in between, and counts them against a budget until their
 * clients have read them. A GET that would exceed the budget gets a 503. Other requests always get their response,
 * because they may have changed something. A response without a holder counts against the client's address.
 */
export const boundAnswers = (fastify: FastifyInstance, answers: MemoryBudget): void => {
  fastify.decorateRequest('answerHolder', null);
  fastify.addHook('onSend', async (request, reply, payload) => {
    // Writing a response occupies the thread; writing many at once would block it.
    const isOneWrite = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isOneWrite && isLarge(payload.length)) await yieldToEventLoop();
    // Files are buffers shared by all requests, and streams limit themselves.
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
