import { Controller, Get, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CLOCK, type Clock, iso } from '../../../kernel/clock.js';
import type { KeyRow } from '../../../projections/discovery/discovery.tables.js';
import { FindKey } from '../../../projections/discovery/keys.queries.js';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { readHeaderText } from '../../transport/headers.js';
import { fieldProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getCaller, getKeyHash, getListScope, stateOfKey, unauthorizedProblem } from '../api-key.guard.js';
import { OwnerQuery } from '../common-fields.js';
import { STREAM_MESSAGES } from '../messages.js';
import { OwnedResources } from '../owned-resources.js';
import { sessionOf } from '../sessions/console-sessions.js';
import { ChangeStreams, type ReaderKey } from './change-streams.js';

const HEADERS = {
  'content-type': 'text/event-stream',
  'x-accel-buffering': 'no', // otherwise nginx buffers the events
  connection: 'close', // nothing else is sent over it, and a stopping server need not wait for it
};

/** Streams changes as they happen (management-api.md: stream). */
@Controller('manage/v1/stream')
@UseGuards(ApiKeyGuard)
export class StreamController {
  constructor(
    private readonly resources: OwnedResources,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly findKey: FindKey,
    private readonly streams: ChangeStreams,
  ) {}

  @Documented({
    summary: 'Follow changes',
    scope: 'read',
    description:
      'Server-sent events. `event: change` has `id: <position>` and `data: {"kind": …, "ids": […]}`; `kind: "reset"` tells the client to read everything again. `event: bye` comes before the process ends the stream. Send the last id as `Last-Event-ID` to resume. A comment is sent every 15 s.',
    query: OwnerQuery,
    answer: 'text/event-stream',
    codes: { 404: ['not_found'], 429: ['too_many_streams'] },
  })
  @Get()
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request, OwnerQuery);
    const caller = getCaller(request);
    const ownerId = getListScope(request, query.owner_id);
    const after = readLastEventId(request);
    if (ownerId !== null) await this.resources.findResource(request, 'owner', ownerId);
    if (request.method === 'HEAD') return void reply.headers(HEADERS).send();
    const hash = getKeyHash(request);
    const key = caller.kind === 'operator' ? null : readerKey(caller.key, hash);
    const body = await this.streams.open({ ownerId, key, session: sessionOf(request), after }, reply.raw);
    // The key may have been replaced or changed before the stream started to receive changes.
    if (caller.kind !== 'operator' && !(await this.isUnchanged(caller.key, hash))) {
      body.destroy();
      throw unauthorizedProblem();
    }
    // A client that half-closes its connection usually still gets its response (http-server.ts), but a stream would
    // never end.
    request.raw.socket.once('end', () => body.destroy());
    void reply.headers(HEADERS).send(body);
  }

  private async isUnchanged({ endpoint_ids: limit, expires_at: end }: KeyRow, hash: string): Promise<boolean> {
    const row = await this.findKey.execute(hash);
    const isValid = row !== null && stateOfKey(row, hash, iso(this.clock.now())) === 'valid';
    return isValid && row.expires_at === end && row.endpoint_ids?.join() === limit?.join();
  }
}

/** @param hash of the key that the reader sent, or that its session stands for */
const readerKey = (row: KeyRow, hash: string): ReaderKey => {
  const { key_id: id, owner_id: ownerId, key_hash, previous_until, expires_at } = row;
  const ends = [expires_at, key_hash === hash ? null : previous_until].filter((end) => end !== null).map(Date.parse);
  return { id, ownerId, hash, until: ends.length > 0 ? Math.min(...ends) : null };
};

/** Returns the position after which a reader resumes; null if it sent none. @throws HttpProblem 422 */
const readLastEventId = (request: FastifyRequest): bigint | null => {
  const sent = readHeaderText(request, 'last-event-id') ?? '';
  if (sent === '') return null;
  if (/^\d{1,30}$/.test(sent)) return BigInt(sent);
  throw fieldProblem('Last-Event-ID', 'wrong_format', STREAM_MESSAGES.lastEventId);
};
