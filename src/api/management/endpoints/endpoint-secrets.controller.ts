import { Controller, Inject, Post, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { RotateEndpointSlug } from '../../../commands/endpoint/rotate-endpoint-slug.js';
import { RotateEndpointToken } from '../../../commands/endpoint/rotate-endpoint-token.js';
import { RotateSigningSecret } from '../../../commands/endpoint/rotate-signing-secret.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { hashToken, newSigningSecret, newSlug, newToken } from '../../../secrets/tokens.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { EmptyBody } from '../pause.body.js';
import { OfResource, type ResourceCall } from '../resource-call.js';
import { RotateSecretBody } from './endpoint.bodies.js';
import type { EndpointView, EndpointWithSecretView, RotatedTokenView } from './endpoint.view.js';
import { EndpointViewBuilder } from './endpoint-view-builder.js';

const READ_MODELS = ['discovery'];

/** Rotates endpoints' slugs, tokens and signing secrets (publish-api.md: Inbound endpoint; D-40, D-47). */
@Controller('manage/v1/endpoints/:id')
@UseGuards(ApiKeyGuard)
export class EndpointSecretsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly commands: CommandBus,
    private readonly views: EndpointViewBuilder,
    private readonly changes: ChangePipeline,
  ) {}

  @Documented({ summary: 'Replace the token of an endpoint' })
  @Post('rotate-token')
  async rotateToken(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<RotatedTokenView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const shownOnce = await change.drawSecrets(() => ({ token: newToken(this.settings.brand, call.resource.mode) }));
      const command = new RotateEndpointToken(change.context, call.id, hashToken(shownOnce.token));
      const outcome = await this.commands.execute(command);
      const readModels = [...READ_MODELS, 'planned-posts'];
      return { outcome, readModels, show: () => this.views.findViewWithPlanned(call), shownOnce };
    });
  }

  @Documented({ summary: 'Replace the slug of an endpoint', codes: { 409: ['cooldown'] } })
  @Post('rotate-slug')
  async rotateSlug(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const { slug } = await change.drawSecrets(() => ({ slug: newSlug() }));
      const outcome = await this.commands.execute(new RotateEndpointSlug(change.context, call.id, slug));
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView(call) };
    });
  }

  @Documented({ summary: 'Replace the signing secret of an endpoint', body: RotateSecretBody })
  @Post('rotate-secret')
  async rotateSecret(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointWithSecretView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(RotateSecretBody) }, async (body, change) => {
      const shownOnce = await change.drawSecrets(() => ({ signing_secret: newSigningSecret() }));
      const overlapMs = (body.overlap_minutes ?? 0) * this.settings.minuteMs;
      const command = new RotateSigningSecret(change.context, call.id, shownOnce.signing_secret, overlapMs);
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView(call), shownOnce };
    });
  }
}
