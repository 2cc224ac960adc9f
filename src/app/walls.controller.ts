import { randomUUID } from 'node:crypto';
import { Controller, Get, Headers, Inject, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { StandInAnswer } from '../../stand-ins/kit/network.js';
import { setTrouble, type Trouble, TROUBLES } from '../../stand-ins/kit/troubles.js';
import { DATA_HEADERS, pageHeaders } from '../../stand-ins/walls/wall.js';
import { renderWalls, type WallFeed, type WallSource } from '../../stand-ins/walls/wall-page.js';
import { HttpProblem } from '../api/transport/problem.view.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/tokens.js';
import { preferredLanguage } from '../language/reader-language.js';
import type { ConnectedPublisher, LookUpResult, PlatformChannel, StepOutcome } from '../platforms/publisher.js';
import { demoPhotos } from './demo.js';
import { WALL_MESSAGES } from './messages.js';
import { NETWORKS, type Networks } from './networks.js';

/**
 * Makes the links of what a stand-in publishes lead to its wall, where the post is: the network's own addresses would
 * lead to chats of others.
 * @param readBaseUrl returns the gateway's address, which is not known before its server listens; empty or null in a
 * process without one
 */
export const linkToWall = (publisher: ConnectedPublisher, readBaseUrl: () => string | null): ConnectedPublisher => {
  const onWall = <T extends StepOutcome>(outcome: T, { address }: PlatformChannel): T => {
    const baseUrl = readBaseUrl() ?? '';
    if (baseUrl === '' || outcome.kind !== 'done' || outcome.urls.length === 0) return outcome;
    const chat = address['chat_id'] ?? address['group_id'] ?? Object.values(address)[0] ?? '';
    const place = `${baseUrl}/walls#${publisher.platform}/${chat}/`;
    return { ...outcome, urls: outcome.messageIds.map((id) => place + id) };
  };
  return {
    ...publisher,
    send: async (step, context) => onWall(await publisher.send(step, context), context.channel),
    ...('lookUp' in publisher && {
      lookUp: async (step, context, send): Promise<LookUpResult> => {
        const found = await publisher.lookUp!(step, context, send);
        return found.kind === 'sent' ? { ...found, outcome: onWall(found.outcome, context.channel) } : found;
      },
    }),
  };
};

/** Shows the posts on all stand-in networks as readers see them, in demo mode (management-api.md: The rest). */
@Controller('walls')
export class WallsController {
  /** Only the page knows it, so that no other site can break a network. */
  private readonly key = randomUUID();
  private readonly troubles = new Map<string, Trouble>();

  constructor(
    @Inject(NETWORKS) private readonly networks: Networks,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async page(
    @Headers('accept-language') language: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const sources = await Promise.all(
      this.networks.standIns.map(async ({ platform, theme, troubles }): Promise<WallSource> => {
        const trouble = { url: `/walls/${platform}/trouble`, now: this.troubles.get(platform) ?? null };
        const feed = await this.readFeed(platform, 0);
        return { feed, feedUrl: `/walls/${platform}/feed`, theme, ...(troubles && { trouble }) };
      }),
    );
    const nonce = randomUUID();
    void reply.headers(pageHeaders(nonce));
    const demo = { key: this.key, photos: demoPhotos(this.settings) };
    return renderWalls(sources, nonce, { language: preferredLanguage(language ?? ''), demo });
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

  /** Breaks a network in one of several ways, or mends it (`kind` is empty). */
  @Post(':platform/trouble')
  async break(
    @Param('platform') platform: string,
    @Query() { key, kind }: { readonly key?: unknown; readonly kind?: unknown },
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ readonly trouble: Trouble | null }> {
    void reply.headers(DATA_HEADERS).code(200);
    if (key !== this.key) throw HttpProblem.withMessage(403, 'forbidden', WALL_MESSAGES.foreignPage);
    const standIn = this.find(platform);
    const trouble = TROUBLES.find((one) => one === kind) ?? null;
    if (!standIn.troubles || (trouble === null && kind !== '')) throw noWall();
    await setTrouble(standIn, trouble, standIn.troubles);
    if (trouble === null) this.troubles.delete(platform);
    else this.troubles.set(platform, trouble);
    return { trouble };
  }

  @Get(':platform/media/:file')
  async medium(
    @Param('platform') platform: string,
    @Param('file') file: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    void reply.headers(DATA_HEADERS);
    const { headers, body } = await this.ask(platform, `/wall/media/${encodeURIComponent(file)}`);
    void reply.headers(headers ?? {});
    return body as Buffer;
  }

  private async readFeed(platform: string, after: number): Promise<WallFeed> {
    return (await this.ask(platform, `/wall.json?after=${after}&media_base=/walls/${platform}/media`)).body as WallFeed;
  }

  private find(platform: string): Networks['standIns'][number] {
    const standIn = this.networks.standIns.find((one) => one.platform === platform);
    if (!standIn) throw noWall();
    return standIn;
  }

  private async ask(platform: string, path: string): Promise<StandInAnswer> {
    const answer = await this.find(platform).ask('GET', path);
    if (answer.status !== 200) throw noWall();
    return answer;
  }
}

const noWall = (): HttpProblem => HttpProblem.withMessage(404, 'not_found', WALL_MESSAGES.noWall);
