import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HttpProblem } from '../api/transport/http-problem.js';
import type { WallFeed, WallSource } from '../stand-ins/walls/feed.js';
import { renderWalls } from '../stand-ins/walls/wall-page.js';
import { type Networks, NETWORKS } from './stand-ins.js';

/** Shows the posts on all stand-in networks, as readers see them, on one page. In demo mode only (management-api.md: The rest). */
@Controller('walls')
export class WallsController {
  constructor(@Inject(NETWORKS) private readonly networks: Networks) {}

  @Get()
  async page(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const sources = await Promise.all(
      this.networks.standIns.map(async ({ platform, theme }): Promise<WallSource> => {
        const answer = await this.ask(platform, `/wall.json?after=0&media_base=/walls/${platform}/media`);
        return { feed: (await answer.json()) as WallFeed, feedUrl: `/walls/${platform}/feed`, theme };
      }),
    );
    void reply.header('content-type', 'text/html; charset=utf-8').header('cache-control', 'no-store');
    return renderWalls(sources);
  }

  @Get(':platform/feed')
  async feed(@Param('platform') platform: string, @Query('after') after = '0'): Promise<unknown> {
    return (
      await this.ask(platform, `/wall.json?after=${Number(after) || 0}&media_base=/walls/${platform}/media`)
    ).json();
  }

  @Get(':platform/media/:file')
  async medium(
    @Param('platform') platform: string,
    @Param('file') file: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const answer = await this.ask(platform, `/wall/media/${encodeURIComponent(file)}`);
    for (const name of ['content-type', 'content-disposition', 'x-content-type-options']) {
      const value = answer.headers.get(name);
      if (value !== null) void reply.header(name, value);
    }
    return Buffer.from(await answer.arrayBuffer());
  }

  private async ask(platform: string, path: string): Promise<Response> {
    const base = this.networks.standIns.find((standIn) => standIn.platform === platform)?.url;
    const answer = base === undefined ? null : await fetch(base + path);
    if (!answer?.ok)
      throw HttpProblem.withMessage(404, 'not_found', 'There is no such wall, or nothing of that name on it.');
    return answer;
  }
}
