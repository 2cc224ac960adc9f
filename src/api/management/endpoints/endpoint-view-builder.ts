import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import type { EndpointRow } from '../../../projections/discovery/discovery.tables.js';
import { PlannedPostQueries } from '../../../projections/planned-posts/planned-posts.queries.js';
import { OwnedResources } from '../owned-resources.js';
import type { ResourcePlace } from '../resource-call.js';
import { type DisabledEndpointView, EndpointView } from './endpoint.view.js';

/** Builds endpoint views, including the URL that posts are sent to. */
@Injectable()
export class EndpointViewBuilder {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly resources: OwnedResources,
    private readonly planned: PlannedPostQueries,
  ) {}

  /** Returns an endpoint that the caller may see. @throws HttpProblem 404 */
  async findView({ request, id }: ResourcePlace): Promise<EndpointView> {
    return this.buildView(await this.resources.findResource(request, 'endpoint', id));
  }

  /** Returns an endpoint as {@link findView}, with the number of its planned posts (D-87). */
  async findViewWithPlanned(place: ResourcePlace): Promise<DisabledEndpointView> {
    const view = await this.findView(place);
    return { ...view, planned_posts: await this.planned.countOfEndpoint(place.id) };
  }

  buildView(row: EndpointRow): EndpointView {
    // Read each time, because with PORT=0 the address is unknown until the server listens.
    return new EndpointView(row, this.settings.baseUrl ?? '', this.clock.now());
  }
}
