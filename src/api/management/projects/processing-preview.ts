import { Injectable } from '@nestjs/common';
import { findKeptKeyId } from '../../../commands/project/seal-processing.js';
import type { Processing } from '../../../domain/project/processing.js';
import { PreviewBudget } from '../../../limits/preview-budget.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { processPost } from '../../../processing/process-post.js';
import { ChannelPlatforms } from '../../../projections/discovery/channel-platforms.queries.js';
import type { ProjectRow } from '../../../projections/discovery/discovery.tables.js';
import { SecretVault } from '../../../secrets/vault.js';
import { previewBudgetProblem, projectBudgetProblem } from '../../public/gate/rejections.js';
import { ProbePayments } from '../../public/probe-payments.js';
import { PreviewPatterns } from '../../public/sandbox/preview-patterns.js';
import { SandboxTranslation } from '../../public/sandbox/sandbox-translation.js';
import type { PreviewedText } from './preview.body.js';
import { ProcessedTextView, type ProcessingPreviewView } from './preview.view.js';

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
