import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import type { EndpointRow } from '../../../projections/discovery/discovery.tables.js';
import { OwnedThings } from '../owned-resources.js';
import { endpointView } from './endpoint.view.js';

/** Shows endpoints, each with the URL that posts go to. */
@Injectable()
export class EndpointViews {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly things: OwnedThings,
  ) {}

  /** One of the caller's. @throws HttpProblem 404 */
  async show(request: FastifyRequest, id: string): Promise<object> {
    return this.view(await this.things.find(request, 'endpoint', id));
  }

  view(row: EndpointRow): object {
    // Asked for each time: where the port was free to choose, the address is known only since it listens.
    return endpointView(row, this.settings.baseUrl ?? '', this.clock.now());
  }
}
