import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { defaultBaseUrl, type Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import type { EndpointRow } from '../../projections/discovery/discovery.tables.js';
import { OwnedThings } from '../owned-things.js';
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
    return this.view(request, await this.things.find(request, 'endpoint', id));
  }

  view(request: FastifyRequest, row: EndpointRow): object {
    return endpointView(row, this.baseUrl(request), this.clock.now());
  }

  /** Where no BASE_URL is set and the port was free to choose, the port that this very request came to. */
  private baseUrl({ socket }: FastifyRequest): string {
    const { baseUrl, host, port } = this.settings;
    return baseUrl ?? defaultBaseUrl(host, socket.localPort ?? port);
  }
}
