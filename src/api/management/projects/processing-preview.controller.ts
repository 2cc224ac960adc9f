import { Controller, HttpCode, Inject, Injectable, Post, UseGuards } from '@nestjs/common';
import { findKeptKeyId } from '../../../commands/project.js';
import type { Processing } from '../../../domain/project/processing.js';
import { PreviewBudget } from '../../../limits/budgets.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/url-rules.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { processPost } from '../../../processing/process-post.js';
import { ChannelPlatforms } from '../../../projections/discovery/discovery.queries.js';
import type { ProjectRow } from '../../../projections/discovery/discovery.tables.js';
import { SecretVault } from '../../../secrets/vault.js';
import { Documented } from '../../documentation/documented.js';
import { previewBudgetProblem, projectBudgetProblem } from '../../public/gate/rejections.js';
import { ProbePayments } from '../../public/payload-check.js';
import { PreviewPatterns } from '../../public/sandbox/network-preview.js';
import { SandboxTranslation } from '../../public/sandbox/sandbox-preview.js';
import type { BodyReader } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { OfResource, type ResourceCall } from '../owned-resources.js';
import { readRequestBody } from '../request-body.js';
import {
  createPreviewReader,
  type PreviewedText,
  ProcessedTextView,
  ProcessingPreviewBody,
  type ProcessingPreviewView,
} from './projects.controller.js';

/** Vault id, within one preview, of the API key sent with the request. */
const SENT_KEY = 'sent';

/** Runs a project's processing on sample text, using the publishing code. Stores nothing. */
@Injectable()
export class ProcessingPreview {
  constructor(
    private readonly catalogue: PlatformCatalogue,
    private readonly channels: ChannelPlatforms,
    private readonly translation: SandboxTranslation,
    private readonly payments: ProbePayments,
    private readonly vault: SecretVault,
    private readonly budget: PreviewBudget,
    private readonly patterns: PreviewPatterns,
  ) {}

  /** @throws HttpProblem 429 if the owner's probe budget (D-51) or preview budget (ADR-209) is used up */
  async preview(project: ProjectRow, { text, entities, processing }: PreviewedText): Promise<ProcessingPreviewView> {
    const payer = { endpoint_id: project.project_id, owner_id: project.owner_id };
    const translate = this.translation.createTranslate(
      this.payments.openFor(payer, projectBudgetProblem),
      this.vaultWith(processing?.translationKey),
    );
    const how = processing ? withKeyId(processing, project.processing) : project.processing;
    const search = this.patterns.open({ ownerId: project.owner_id, reject: previewBudgetProblem });
    const platforms: Record<string, ProcessedTextView> = {};
    for (const platform of await this.listPlatforms(project)) {
      await search.searchAhead(text, how, platform);
      const process = () => processPost({ text, entities }, how, platform, translate, search);
      const processed = await this.budget.spend(project.owner_id, previewBudgetProblem, process);
      platforms[platform] = new ProcessedTextView(processed, { text, entities });
    }
    return { platforms };
  }

  private async listPlatforms({ channel_ids }: ProjectRow): Promise<readonly string[]> {
    const used = await this.channels.find(channel_ids);
    return this.catalogue.ids.filter((id) => used.size === 0 || used.has(id));
  }

  /** Returns the vault, plus the API key sent with the preview, if any. */
  private vaultWith(key: string | null | undefined): Pick<SecretVault, 'readSecret'> {
    if (typeof key !== 'string') return this.vault;
    return { readSecret: async (id) => (id === SENT_KEY ? { api_key: key } : this.vault.readSecret(id)) };
  }
}

/** Sets the translation's API key id, just as storing the processing would. */
const withKeyId = (
  { processing, translationKey }: NonNullable<PreviewedText['processing']>,
  current: Processing,
): Processing => {
  const { translation } = processing;
  if (!translation || translationKey === null) return processing;
  const keyId = translationKey === undefined ? findKeptKeyId(translation, current) : SENT_KEY;
  return keyId === undefined ? processing : { ...processing, translation: { ...translation, api_key_id: keyId } };
};

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
    scope: 'read',
    forLimitedKeys: true,
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
