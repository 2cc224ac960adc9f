import { randomUUID } from 'node:crypto';
import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DATA_HEADERS, pageHeaders } from '../../stand-ins/walls/wall.js';
import { renderWalls, type WallFeed, type WallSource } from '../../stand-ins/walls/wall-page.js';
import { HttpProblem } from '../api/transport/problem.view.js';
import { WALL_MESSAGES } from './messages.js';
import { NETWORKS, type Networks } from './networks.js';

/** Shows the posts on all stand-in networks as readers see them, in demo mode (management-api.md: The rest). */
@Controller('walls')
export class WallsController {
  constructor(@Inject(NETWORKS) private readonly networks: Networks) {}

  @Get()
  async page(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const sources = await Promise.all(
      this.networks.standIns.map(async ({ platform, theme }): Promise<WallSource> => {
        return { feed: await this.readFeed(platform, 0), feedUrl: `/walls/${platform}/feed`, theme };
      }),
    );
    const nonce = randomUUID();
    void reply.headers(pageHeaders(nonce));
    return renderWalls(sources, nonce);
  }

  @Get(':platform/feed')
  async feed(
    @Param('platform') platform: string,
    @Query('after') after: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WallFeed> {
    void reply.headers(DATA_HEADERS);
    return this.readFeed(platform, Number(after) || 0);
  }

  @Get(':platform/media/:file')
  async medium(
    @Param('platform') platform: string,
    @Param('file') file: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    void reply.headers(DATA_HEADERS);
    const answer = await this.ask(platform, `/wall/media/${encodeURIComponent(file)}`);
    for (const name of ['content-type', 'content-disposition']) {
      const value = answer.headers.get(name);
      if (value !== null) void reply.header(name, value);
    }
    return Buffer.from(await answer.arrayBuffer());
  }

  private async readFeed(platform: string, after: number): Promise<WallFeed> {
    const answer = await this.ask(platform, `/wall.json?after=${after}&media_base=/walls/${platform}/media`);
    return (await answer.json()) as WallFeed;
  }

  private async ask(platform: string, path: string): Promise<Response> {
    const base = this.networks.standIns.find((standIn) => standIn.platform === platform)?.url;
    const answer = base === undefined ? null : await fetch(base + path);
    if (!answer?.ok) throw HttpProblem.withMessage(404, 'not_found', WALL_MESSAGES.noWall);
    return answer;
  }
}
