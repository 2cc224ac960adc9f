import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FindOwnerByKey } from '../../../projections/discovery/discovery.queries.js';
import { hashToken } from '../../../secrets/tokens.js';
import { Documented } from '../../documentation/documented.js';
import { readBearerToken } from '../../transport/credentials.js';
import { readQuery } from '../../transport/fields.js';
import { readHeaderText } from '../../transport/headers.js';
import { ApiKeyGuard, getCaller, getListScope, unauthorizedProblem } from '../api-key.guard.js';
import { OwnerQuery } from '../common-fields.js';
import { fieldProblem } from '../http-problems.js';
import { STREAM_MESSAGES } from '../messages.js';
import { OwnedResources } from '../owned-resources.js';
import { ChangeStreams } from './change-streams.js';

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
    private readonly findOwnerByKey: FindOwnerByKey,
    private readonly streams: ChangeStreams,
  ) {}

  @Documented({
    summary: 'Follow changes',
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
    const keyHash = caller.kind === 'owner' ? hashToken(readBearerToken(request.headers.authorization)) : null;
    const body = await this.streams.open({ ownerId, keyHash, after }, reply.raw);
    // The key may have been replaced before the stream started to receive changes.
    if (keyHash !== null && !(await this.findOwnerByKey.execute(keyHash))) {
      body.destroy();
      throw unauthorizedProblem();
    }
    // A client that half-closes its connection usually still gets its response (http-server.ts), but a stream would
    // never end.
    request.raw.socket.once('end', () => body.destroy());
    void reply.headers(HEADERS).send(body);
  }
}

/** Returns the position after which a reader resumes; null if it sent none. @throws HttpProblem 422 */
const readLastEventId = (request: FastifyRequest): bigint | null => {
  const sent = readHeaderText(request, 'last-event-id') ?? '';
  if (sent === '') return null;
  if (/^\d{1,30}$/.test(sent)) return BigInt(sent);
  throw fieldProblem('Last-Event-ID', 'wrong_format', STREAM_MESSAGES.lastEventId);
};
