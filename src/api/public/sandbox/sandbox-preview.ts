import { setMaxListeners } from 'node:events';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import type { Processing, Translation } from '../../../domain/project/processing.js';
import { PreviewBudget } from '../../../limits/budgets.js';
import type { PayRequests } from '../../../media/probe.js';
import { GuardedClient } from '../../../outbound-http/guarded-client.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/url-rules.js';
import type { TextWithEntities } from '../../../payload/entities.js';
import { contentFor, type ContentTarget, listMedia } from '../../../payload/overrides.js';
import type { PublishPayload } from '../../../payload/payload.js';
import { toLocated } from '../../../payload/uploads.js';
import { PlatformCatalogue, Publishers } from '../../../platforms/platform-catalogue.js';
import type { PlatformChannel, ProbedMedium, Warning } from '../../../platforms/publisher.js';
import { type ProcessedPost, processPost } from '../../../processing/process-post.js';
import { LibreTranslate, MOST_OF_A_TRANSLATION } from '../../../processing/translation/libre-translate.js';
import type { Translate, TranslationResult } from '../../../processing/translation/translation.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { SecretVault } from '../../../secrets/vault.js';
import { CanView, ChangeForecasts } from '../change.views.js';
import { previewBudgetRejection } from '../gate/rejections.js';
import { PREVIEW_MESSAGES } from '../messages.js';
import { AcceptanceSlots, type CheckedLists } from '../payload-check.js';
import {
  type ChannelPreview,
  listPreviewTargets,
  previewNetwork,
  PreviewPatterns,
  type PreviewTarget,
} from './network-preview.js';
import { type NetworkPreviewView, PreviewCallView } from './sandbox.view.js';

/** Time limit of a translation, in ms. Publishing allows more time, because no client waits for it. */
const TIMEOUT_MS = 10_000;

/** Translates text for the sandbox (D-38), charged to the endpoint's probe budget (D-51). Stores nothing. */
@Injectable()
export class SandboxTranslation implements OnModuleDestroy {
  private readonly client: GuardedClient;
  private readonly closing = new AbortController();

  constructor(
    @Inject(ADDRESS_POLICY) policy: AddressPolicy,
    slots: AcceptanceSlots,
    private readonly vault: SecretVault,
  ) {
    setMaxListeners(0, this.closing.signal); // one listener per running request, which is not a leak
    this.client = new GuardedClient({ policy, slots });
  }

  /**
   * Creates the translator for one request. It translates each text into a language only once for all networks, and
   * throws the error from `pay` if the probe budget does not cover a translation.
   * @param vault holds the services' API keys
   */
  createTranslate(pay: PayRequests, vault: Pick<SecretVault, 'readSecret'> = this.vault): Translate {
    const asked = new Map<string, Promise<TranslationResult>>();
    return (content, how) => {
      const key = JSON.stringify([content, how]);
      const answer = asked.get(key) ?? this.translate(pay, vault, content, how);
      asked.set(key, answer);
      return answer;
    };
  }

  private async translate(
    pay: PayRequests,
    vault: Pick<SecretVault, 'readSecret'>,
    content: TextWithEntities,
    how: Translation,
  ): Promise<TranslationResult> {
    const { meter, settle } = await pay(MOST_OF_A_TRANSLATION);
    const client: Pick<GuardedClient, 'request'> = {
      request: (url, request, overflow) => this.client.request(url, { ...request, meter }, overflow),
    };
    try {
      return await new LibreTranslate(client, vault, TIMEOUT_MS).translate(content, how, this.closing.signal);
    } finally {
      await settle();
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.abort();
    await this.client.close();
  }
}

/** Renders a payload with the publishing code, for every channel that would receive it. */
@Injectable()
export class SandboxPreview {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly catalogue: PlatformCatalogue,
    private readonly publishers: Publishers,
    private readonly findResource: FindResource,
    private readonly translation: SandboxTranslation,
    private readonly budget: PreviewBudget,
    private readonly patterns: PreviewPatterns,
    private readonly forecasts: ChangeForecasts,
  ) {}

  /**
   * Renders previews, keyed by network id and by the id of each target that has its own override (D-61).
   * @param pay pays for translations
   * @throws GateRejection 429 if the probe budget does not cover the translations, or the owner's preview budget is
   * used up
   */
  async render(
    payload: PublishPayload,
    lists: CheckedLists['lists'],
    endpoint: EndpointSnapshot,
    pay: PayRequests,
  ): Promise<Readonly<Record<string, NetworkPreviewView>>> {
    const ownerId = endpoint.owner_id;
    const reject = (retryAfter: number): Error =>
      previewBudgetRejection(endpoint, retryAfter, this.settings.limitsProfile);
    const spend = <T>(work: () => T | Promise<T>): Promise<T> => this.budget.spend(ownerId, reject, work);
    const search = this.patterns.open({ ownerId, reject });
    const targets = listPreviewTargets(payload, endpoint);
    const firstProject = endpoint.projects[0]?.project_id;
    const processing = memoize((projectId: string) => this.findProcessing(projectId, endpoint.owner_id));
    const translate = this.translation.createTranslate(pay);
    const always = this.catalogue.all.filter(({ preview }) => preview.always).map(({ id }) => id);
    const platforms = new Set([...always, ...targets.map(({ platform }) => platform)]);
    const previewContent = (platform: string, channels: readonly PreviewTarget[], channelId = '') => {
      const target = { platform, channelId };
      const content = contentFor(payload, target);
      const media = knownMedia(payload, target, lists);
      const processed = memoize(async (projectId: string | undefined) => {
        const how = projectId === undefined ? {} : await processing(projectId);
        await search.searchAhead(content.text ?? '', how, platform);
        return spend(() => processPost(content, how, platform, translate, search));
      });
      const previewChannel = async (shown: PreviewTarget | undefined): Promise<ChannelPreview> => {
        const channel = await this.findChannel(platform, shown?.channelId, endpoint.owner_id);
        const post = await processed(shown?.projectId ?? firstProject);
        const edit =
          post.kind === 'post'
            ? this.forecasts.forecastEditOf(platform, channel.address, post.post)
            : { edit: [], text: null };
        const can = new CanView(this.forecasts.forecastFor(platform, channel.address), edit);
        return { ...(await spend(() => this.renderChannel(post, media, platform, channel))), can };
      };
      const isOverridden = channelId === '' && targets.some((each) => each.platform === platform && hasOwn(each));
      return previewNetwork(platform, channels, previewChannel, isOverridden);
    };
    const hasOwn = ({ channelId, isTarget }: PreviewTarget): boolean =>
      isTarget && payload.overrides?.[channelId] !== undefined;
    const previews = [...platforms].map(async (platform) => {
      const channels = targets.filter((target) => target.platform === platform && !hasOwn(target));
      return [platform, await previewContent(platform, channels)] as const;
    });
    const ofTargets = targets
      .filter(hasOwn)
      .map(
        async (target) =>
          [target.channelId, await previewContent(target.platform, [target], target.channelId)] as const,
      );
    return Object.fromEntries(await Promise.all([...previews, ...ofTargets]));
  }

  /** Renders a post for one channel. Warns if the post would not be published or would have to wait. */
  private renderChannel(
    processed: ProcessedPost,
    media: readonly ProbedMedium[],
    platform: string,
    channel: PlatformChannel,
  ): Omit<ChannelPreview, 'can'> {
    if (processed.kind === 'filtered') return previewNothing(processed.reason);
    if (processed.kind === 'wait') {
      const { code, message } = processed.error;
      return previewNothing({ code, message: PREVIEW_MESSAGES.wouldWait({ error: message }) });
    }
    const publisher = this.publishers.get(platform);
    const foreseen = publisher.forecastResults(media);
    const { steps, warnings, textAfterTrim, trimmedChars } = publisher.render(processed.post, channel, foreseen);
    // A step whose result is already known makes no call, except an upload of a photo that will be fitted.
    const calling = steps.filter(({ name }) => !(name in foreseen) || foreseen[name]!['fitted'] === true);
    const calls = calling.flatMap((step) =>
      publisher
        .previewCalls(step, media)
        .map(({ method, request }) => new PreviewCallView(step.name, method, request, channel.id)),
    );
    return { textAfterTrim, trimmedChars, calls, warnings: [...processed.warnings, ...warnings] };
  }

  private async findProcessing(projectId: string, ownerId: string): Promise<Processing> {
    const row = await this.findResource.execute('project', projectId, ownerId);
    // The management API validates processing before storing it.
    return row?.processing ?? {};
  }

  /** Finds a channel. Without an id, returns a placeholder channel for previewing calls. */
  private async findChannel(platform: string, id: string | undefined, ownerId: string): Promise<PlatformChannel> {
    const row = id === undefined ? null : await this.findResource.execute('channel', id, ownerId);
    return row
      ? { id: row.channel_id, address: row.address, settings: { ...row.settings } }
      : { id: '', address: this.catalogue.get(platform).preview.address, settings: {} };
  }
}

/** Returns a target's media. Lists that no target gets have not been probed. */
const knownMedia = (
  payload: PublishPayload,
  target: ContentTarget,
  lists: CheckedLists['lists'],
): readonly ProbedMedium[] => {
  const [list] = listMedia(payload, [target]);
  if (!list) return [];
  return lists.get(list.path) ?? list.media.map((medium) => ({ ...toLocated(medium), sizeBytes: null, mime: null }));
};

const previewNothing = (reason: Warning): Omit<ChannelPreview, 'can'> => ({
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
