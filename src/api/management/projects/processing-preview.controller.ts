import { Controller, HttpCode, Inject, Post, UseGuards } from '@nestjs/common';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/address-policy.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { Documented } from '../../documentation/documented.js';
import { type BodyReader } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { readRequestBody } from '../request-body.js';
import { OfResource, type ResourceCall } from '../resource-call.js';
import { createPreviewReader, type PreviewedText, ProcessingPreviewBody } from './preview.body.js';
import type { ProcessingPreviewView } from './preview.view.js';
import { ProcessingPreview } from './processing-preview.js';

/** Previews a project's processing (management-api.md: Previews of processing). */
@Controller('manage/v1/projects/:id/preview')
@UseGuards(ApiKeyGuard)
export class ProcessingPreviewController {
  private readonly read: BodyReader<PreviewedText>;

  constructor(
    @Inject(ADDRESS_POLICY) policy: AddressPolicy,
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
  async preview(@OfResource('project') call: ResourceCall<'project'>): Promise<ProcessingPreviewView> {
    const { body } = await readRequestBody(call.request, this.read);
    return this.previews.preview(call.resource, body);
  }
}
