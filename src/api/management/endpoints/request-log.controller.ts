import { Controller, Get, UseGuards } from '@nestjs/common';
import { ListRequests, type RequestPlace } from '../../../projections/request-log/request-log.queries.js';
import { Documented } from '../../documentation/documented.js';
import { RequestRecorder } from '../../public/gate/request-recorder.js';
import { readQuery } from '../../transport/fields.js';
import { buildListView, type ListView, toPage } from '../../transport/page.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { OfResource, type ResourceCall } from '../resource-call.js';
import { toInstant } from '../time.js';
import { RequestView } from './request.view.js';
import { RequestsQuery } from './requests.query.js';

/** Lists the most recent requests to an endpoint (publish-api.md: Request log entry; D-33). */
@Controller('manage/v1/endpoints/:id/requests')
@UseGuards(ApiKeyGuard)
export class RequestLogController {
  constructor(
    private readonly listRequestsQuery: ListRequests,
    private readonly recorder: RequestRecorder,
  ) {}

  @Documented({ summary: 'List the last requests to an endpoint', query: RequestsQuery })
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
