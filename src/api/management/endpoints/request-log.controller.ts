import { Controller, Get, UseGuards } from '@nestjs/common';
import { iso } from '../../../kernel/clock.js';
import {
  ListRequests,
  type RequestPlace,
  type RequestRow,
} from '../../../projections/request-log/request-log.queries.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { RequestRecorder } from '../../public/gate/request-recorder.js';
import { buildListView, isCursorOf, type ListView, PageQuery, readQuery, toPage } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { isTime, toInstant } from '../common-fields.js';
import { OfResource, type ResourceCall } from '../owned-resources.js';

/** A request in an endpoint's log (publish-api.md: Request log entry; D-33). */
export class RequestView {
  /** The request id that was returned as `X-Request-Id`. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The client's address. */
  readonly ip: string;
  readonly user_agent: string | null;
  /** Method and path, with `{slug}` in place of the slug. */
  readonly route: string;
  /** For example `accepted` or `rejected_auth` (publish-api.md: Request-log decisions). */
  readonly decision: string;
  /** Rejection code; null if the request was accepted. */
  readonly reason: string | null;
  readonly http_status: number;
  readonly latency_ms: number;
  /** Size of the body. */
  readonly payload_bytes: number;
  readonly trace_id: string | null;
  /** Null if no post was created. */
  readonly post_id: string | null;
  /** Figures behind the decision (D-36); null if there are none. */
  readonly why: object | null;

  constructor(row: RequestRow) {
    this.id = row.request_id;
    this.at = iso(row.at);
    this.ip = row.ip;
    this.user_agent = row.user_agent;
    this.route = row.route;
    this.decision = row.decision;
    this.reason = row.reason;
    this.http_status = row.http_status;
    this.latency_ms = row.latency_ms;
    this.payload_bytes = row.payload_bytes;
    this.trace_id = row.trace_id;
    this.post_id = row.post_id;
    this.why = row.why;
  }
}

/** Request log decisions (publish-api.md: Request-log decisions). */
const DECISIONS = [
  'accepted',
  'accepted_no_project',
  'accepted_idempotent_replay',
  'rejected_auth',
  'rejected_validation',
  'rejected_rate_limit',
  'rejected_paused',
  'rejected_tier',
  'rejected_disabled',
];

/** Query parameters of an endpoint's request log (D-33). */
export class RequestsQuery extends PageQuery {
  @isCursorOf('logEntry')
  declare readonly cursor: string | undefined;

  /** HTTP status. */
  @Must.match(/^[1-5]\d\d$/, 'an HTTP status such as 422')
  readonly status: string | undefined;

  @Must.beOneOf(DECISIONS)
  readonly decision: string | undefined;

  /** Only requests before this time. */
  @isTime()
  readonly before: string | undefined;
}

/** Lists the most recent requests to an endpoint (publish-api.md: Request log entry; D-33). */
@Controller('manage/v1/endpoints/:id/requests')
@UseGuards(ApiKeyGuard)
export class RequestLogController {
  constructor(
    private readonly listRequestsQuery: ListRequests,
    private readonly recorder: RequestRecorder,
  ) {}

  @Documented({
    summary: 'List the last requests to an endpoint',
    scope: 'read',
    forLimitedKeys: true,
    query: RequestsQuery,
  })
  @Get()
  async listRequests(
    @OfResource('endpoint') { request, id }: ResourceCall<'endpoint'>,
  ): Promise<ListView<RequestView>> {
    const query = readQuery(request, RequestsQuery);
    await this.recorder.flush(id);
    const page = toPage(query);
    const filter = {
      status: query.status === undefined ? undefined : Number(query.status),
      decision: query.decision,
      before: toInstant(query.before),
    };
    const range = { after: parsePlace(page.after), limit: page.limit + 1 };
    const rows = await this.listRequestsQuery.execute(id, filter, range);
    return buildListView(
      rows,
      page,
      ({ at, position, place }) => `${at}/${position}/${place}`,
      (shown) => shown.map((row) => new RequestView(row)),
    );
  }
}

const parsePlace = (key: string | null): RequestPlace | null => {
  if (key === null) return null;
  const [at, position = '0', place] = key.split('/');
  return { at: Number(at), position, place: Number(place) };
};
