import { Controller, Inject, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RotateEndpointSlug } from '../../../commands/endpoint/rotate-endpoint-slug.js';
import { RotateEndpointToken } from '../../../commands/endpoint/rotate-endpoint-token.js';
import { RotateSigningSecret } from '../../../commands/endpoint/rotate-signing-secret.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { newSigningSecret, newSlug, newToken, tokenHash } from '../../../secrets/tokens.js';
import { Changes } from '../changes.js';
import { fieldsOf } from '../request-body.js';
import { IdPipe } from '../id.pipe.js';
import { KeyGuard } from '../key.guard.js';
import { OwnedThings } from '../owned-resources.js';
import { NoFields } from '../pause.body.js';
import { EndpointViews } from './endpoint-views.js';
import { RotateSecretDraft } from './endpoint.bodies.js';

const VIEWS = ['discovery'];
const MINUTE_MS = 60_000;

/** What an endpoint is known by and proves itself with: token, slug, signing secret (publish-api.md: Inbound endpoint; D-40, D-47). */
@Controller('manage/v1/endpoints/:id')
@UseGuards(KeyGuard)
export class EndpointSecretsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly commands: CommandBus,
    private readonly things: OwnedThings,
    private readonly views: EndpointViews,
    private readonly changes: Changes,
  ) {}

  @Post('rotate-token')
  async rotateToken(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    const { mode } = await this.things.find(request, 'endpoint', id);
    return this.changes.post({ request, reply, read: fieldsOf(NoFields) }, async (_, change) => {
      const shownOnce = await change.draw(() => ({ token: newToken(this.settings.brand, mode) }));
      const command = new RotateEndpointToken(change.execution, id, tokenHash(shownOnce.token));
      const outcome = await this.commands.execute(command);
      return { outcome, views: VIEWS, show: () => this.views.show(request, id), shownOnce };
    });
  }

  @Post('rotate-slug')
  async rotateSlug(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'endpoint', id);
    return this.changes.post({ request, reply, read: fieldsOf(NoFields) }, async (_, change) => {
      const { slug } = await change.draw(() => ({ slug: newSlug() }));
      const outcome = await this.commands.execute(new RotateEndpointSlug(change.execution, id, slug));
      return { outcome, views: VIEWS, show: () => this.views.show(request, id) };
    });
  }

  @Post('rotate-secret')
  async rotateSecret(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'endpoint', id);
    return this.changes.post({ request, reply, read: fieldsOf(RotateSecretDraft) }, async (draft, change) => {
      const shownOnce = await change.draw(() => ({ signing_secret: newSigningSecret() }));
      const overlapMs = (draft.overlap_minutes ?? 0) * MINUTE_MS;
      const command = new RotateSigningSecret(change.execution, id, shownOnce.signing_secret, overlapMs);
      const outcome = await this.commands.execute(command);
      return { outcome, views: VIEWS, show: () => this.views.show(request, id), shownOnce };
    });
  }
}
