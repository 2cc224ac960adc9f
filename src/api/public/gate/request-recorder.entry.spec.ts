import fastify from 'fastify';
import type { LoggedRequest } from '../../../domain/request-log/request-log.events.js';
import { RequestMemory } from '../../transport/body-reader.js';
import { disableBodyParsing } from '../../transport/raw-body.js';
import { openLogEntry, recordResponses, type RequestRecorder, setLogEndpoint } from './request-recorder.js';

const realNow = performance.now.bind(performance);

afterEach(() => {
  performance.now = realNow;
});

describe('the time of a request log entry', () => {
  it('is the time of arrival, even if the process stands still while the entry is created', async () => {
    const entries: LoggedRequest[] = [];
    const server = fastify();
    disableBodyParsing(server, new RequestMemory());
    recordResponses(server, {
      record: (_endpointId: string, entry: LoggedRequest) => entries.push(entry),
    } as unknown as RequestRecorder);
    server.get('/', (request) => {
      openLogEntry(request);
      setLogEndpoint(request, { endpoint_id: 'whk_1' });
      return 'a response';
    });
    let standstills = 0;
    performance.now = () => realNow() + 1_000 * standstills++;
    const sentAt = Date.now();
    await server.inject('/');
    expect(entries).toHaveLength(1);
    expect(entries[0]!.at).toBeGreaterThanOrEqual(sentAt);
    expect(entries[0]!.at).toBeLessThanOrEqual(Date.now());
    await server.close();
  });
});
