import type { ArgumentsHost } from '@nestjs/common';
import { MemoryEventStore } from '../../../test/support/memory-event-store.js';
import { StorageFailed, Unavailable } from '../../event-store/port.js';
import { ProblemFilter } from './problem.filter.js';

describe('log lines about a request that failed', () => {
  const lines: object[] = [];
  const write = (context: object): void => void lines.push(context);
  const filter = new ProblemFilter({ debug: write, info: write, warn: write, error: write }, new MemoryEventStore());
  const fail = (error: Error, logEntry: object | null): object => {
    const reply = { sent: false, code: () => reply, headers: () => reply, send: () => reply };
    const host = { switchToHttp: () => ({ getRequest: () => ({ id: 'req_1', logEntry }), getResponse: () => reply }) };
    filter.catch(error, host as unknown as ArgumentsHost);
    return lines.pop()!;
  };

  it.each([
    ['an outage', new Unavailable('no answer')],
    ['a full disk', new StorageFailed('53100', 'no space')],
    ['an internal error', new Error('broken')],
  ])('%s: have its request_id, and its trace_id once the body was read', (_, error) => {
    expect(fail(error, { traceId: 'trace-1' })).toMatchObject({ request_id: 'req_1', trace_id: 'trace-1' });
    const before = fail(error, { traceId: null });
    expect(before).toMatchObject({ request_id: 'req_1' });
    expect(before).not.toHaveProperty('trace_id');
    expect(fail(error, null)).toMatchObject({ request_id: 'req_1' });
  });
});
