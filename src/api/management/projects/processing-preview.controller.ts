import { Controller, HttpCode, Inject, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/address-policy.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { Documented } from '../../documentation/documented.js';
import { type BodyReader } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { IdPipe } from '../id.pipe.js';
import { OwnedResources } from '../owned-resources.js';
import { readRequestBody } from '../request-body.js';
import { createPreviewReader, type PreviewedText, ProcessingPreviewBody } from './preview.body.js';
import type { ProcessingPreviewView } from './preview.view.js';
import { ProcessingPreview } from './processing-preview.js';

/** Tries a project's processing on a text (management-api.md: Previews of processing). */
@Controller('manage/v1/projects/:id/preview')
@UseGuards(ApiKeyGuard)
export class ProcessingPreviewController {
  private readonly read: BodyReader<PreviewedText>;

  constructor(
    @Inject(ADDRESS_POLICY) policy: AddressPolicy,
    private readonly resources: OwnedResources,
    private readonly previews: ProcessingPreview,
    platforms: PlatformCatalogue,
  ) {
    this.read = createPreviewReader({ policy, platforms: platforms.ids });
  }

  @Documented({
    summary: "Show a text after a project's processing",
    body: ProcessingPreviewBody,
    isQuestion: true,
    codes: { 429: ['preview_budget', 'probe_budget'] },
  })
  @Post()
  @HttpCode(200)
  async preview(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<ProcessingPreviewView> {
    const project = await this.resources.findResource(request, 'project', id);
    const { body } = await readRequestBody(request, this.read);
    return this.previews.preview(project, body);
  }
}
