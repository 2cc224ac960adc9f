import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import type { Processing } from '../../../domain/project/processing.js';
import { PreviewBudget } from '../../../limits/preview-budget.js';
import type { PayRequests } from '../../../media/probe.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { PlatformChannel, ProbedMedium, Warning } from '../../../platforms/publisher.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { Publishers } from '../../../platforms/publishers.js';
import { type ProcessedPost, processPost } from '../../../processing/process-post.js';
import { PREVIEW_MESSAGES } from '../messages.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { previewBudgetRejection } from '../gate/rejections.js';
import { type ChannelPreview, listPreviewTargets, previewNetwork, type PreviewTarget } from './network-preview.js';
import { SandboxTranslation } from './sandbox-translation.js';
import { type NetworkPreviewView, PreviewCallView } from './sandbox.view.js';

/** Renders a payload with the code that publishes, for every channel that it would go to. */
@Injectable()
export class SandboxPreview {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly catalogue: PlatformCatalogue,
    private readonly publishers: Publishers,
    private readonly queries: QueryBus,
    private readonly translation: SandboxTranslation,
    private readonly budget: PreviewBudget,
  ) {}

  /**
   * Renders previews, by the networks' ids.
   * @param media the payload's media, as far as they are known
   * @param pay pays for translations
   * @throws GateRejection 429 if the probe budget does not cover the translations, or the owner's computing time is used up
   */
  async render(
    payload: PublishPayload,
    media: readonly ProbedMedium[],
    endpoint: EndpointSnapshot,
    pay: PayRequests,
  ): Promise<Readonly<Record<string, NetworkPreviewView>>> {
    const spend = <T>(work: () => T | Promise<T>): Promise<T> =>
      this.budget.spend(
        endpoint.owner_id,
        (retryAfter) => previewBudgetRejection(endpoint, retryAfter, this.settings.limitsProfile),
        work,
      );
    const targets = listPreviewTargets(payload, endpoint);
    const firstProject = endpoint.projects[0]?.project_id;
    const processing = memoize((projectId: string) => this.findProcessing(projectId, endpoint.owner_id));
    const translate = this.translation.createTranslate(pay);
    const always = this.catalogue.all.filter(({ preview }) => preview.always).map(({ id }) => id);
    const platforms = new Set([...always, ...targets.map(({ platform }) => platform)]);
    const previews = [...platforms].map(async (platform) => {
      const processed = memoize(async (projectId: string | undefined) => {
        const how = projectId === undefined ? {} : await processing(projectId);
        return spend(() => processPost(payload, how, platform, translate));
      });
      const previewChannel = async (target: PreviewTarget | undefined): Promise<ChannelPreview> => {
        const channel = await this.findChannel(platform, target?.channelId, endpoint.owner_id);
        const post = await processed(target?.projectId ?? firstProject);
        return spend(() => this.renderChannel(post, media, platform, channel));
      };
      const channels = targets.filter((target) => target.platform === platform);
      return [platform, await previewNetwork(platform, channels, previewChannel)] as const;
    });
    return Object.fromEntries(await Promise.all(previews));
  }

  /** Renders a post for one channel. A post that would not be published, or not yet, has a warning that says why. */
  private renderChannel(
    processed: ProcessedPost,
    media: readonly ProbedMedium[],
    platform: string,
    channel: PlatformChannel,
  ): ChannelPreview {
    if (processed.kind === 'filtered') return previewNothing(processed.reason);
    if (processed.kind === 'wait') {
      const { code, message } = processed.error;
      return previewNothing({ code, message: PREVIEW_MESSAGES.wouldWait({ error: message }) });
    }
    const publisher = this.publishers.get(platform);
    const foreseen = publisher.forecastResults(media);
    const { steps, warnings, textAfterTrim, trimmedChars } = publisher.render(processed.post, channel, foreseen);
    // A step whose outcome is already known makes no call.
    const calling = steps.filter(({ name }) => !(name in foreseen) || foreseen[name]!['fitted'] === true);
    const calls = calling.flatMap((step) =>
      publisher
        .previewCalls(step, media)
        .map(({ method, request }) => new PreviewCallView(step.name, method, request, channel.id)),
    );
    return { textAfterTrim, trimmedChars, calls, warnings: [...processed.warnings, ...warnings] };
  }

  private async findProcessing(projectId: string, ownerId: string): Promise<Processing> {
    const row = await this.queries.execute(new FindResource('project', projectId, ownerId));
    // The management API checked it before it was stored.
    return row?.processing ?? {};
  }

  private async findChannel(platform: string, id: string | undefined, ownerId: string): Promise<PlatformChannel> {
    const row = id === undefined ? null : await this.queries.execute(new FindResource('channel', id, ownerId));
    return row
      ? { id: row.channel_id, address: row.address, settings: { ...row.settings } }
      : this.placeholderChannel(platform);
  }

  /** Channel in previewed calls where the endpoint has none on the network. */
  private placeholderChannel(platform: string): PlatformChannel {
    return { id: '', address: this.catalogue.get(platform).preview.address, settings: {} };
  }
}

/** Previews a post that would not be published. */
const previewNothing = (reason: Warning): ChannelPreview => ({
  textAfterTrim: '',
  trimmedChars: 0,
  calls: [],
  warnings: [reason],
});

/** Wraps a function so that it is called once per key. */
const memoize = <Key, Value>(ask: (key: Key) => Promise<Value>): ((key: Key) => Promise<Value>) => {
  const asked = new Map<Key, Promise<Value>>();
  return (key) => {
    const answer = asked.get(key) ?? ask(key);
    asked.set(key, answer);
    return answer;
  };
};
