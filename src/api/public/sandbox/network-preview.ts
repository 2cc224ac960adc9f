import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Processing } from '../../../domain/project/processing.js';
import { countOf } from '../../../kernel/message.js';
import { PreviewBudget } from '../../../limits/budgets.js';
import { buildProgram, HelperProcess } from '../../../media/helper.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { Warning } from '../../../platforms/publisher.js';
import {
  LOCAL_SEARCH,
  PATTERN_PROGRAM_PARTS,
  type PatternAnswer,
  patternProgram,
  type PatternQuestion,
  type PatternSearch,
  programSize,
} from '../../../processing/pattern.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import type { CanView } from '../change.views.js';
import { PREVIEW_MESSAGES } from '../messages.js';
import { NetworkPreviewView, type PreviewCallView, PreviewWarningView } from './sandbox.view.js';

/** The post as it would be published on one channel. */
export interface ChannelPreview {
  readonly textAfterTrim: string;
  /** UTF-16 units cut from the original text. */
  readonly trimmedChars: number;
  readonly calls: readonly PreviewCallView[];
  readonly warnings: readonly Warning[];
  readonly can: CanView;
}

/** A channel of the endpoint. */
export interface PreviewTarget {
  readonly platform: string;
  readonly channelId: string;
  /** The endpoint's first project that contains the channel (D-27). */
  readonly projectId: string;
  readonly enabled: boolean;
  /** True if the post is addressed to the channel, even if the channel is disabled. */
  readonly isTarget: boolean;
}

/** Lists an endpoint's channels, each once, in publishing order. */
export const listPreviewTargets = (
  { targets = [] }: PublishPayload,
  { projects }: EndpointSnapshot,
): readonly PreviewTarget[] => {
  const named = new Set(targets.map(({ id }) => id));
  const previewTargets = new Map<string, PreviewTarget>();
  for (const { project_id: projectId, channels } of projects) {
    for (const { channel_id: channelId, platform, enabled } of channels) {
      const isTarget = named.size === 0 || named.has(channelId);
      if (!previewTargets.has(channelId))
        previewTargets.set(channelId, { platform, channelId, projectId, enabled, isTarget });
    }
  }
  return [...previewTargets.values()];
};

/** Once a network's calls reach this total size, in UTF-16 units, the calls for its remaining channels are omitted. */
const MAX_SHOWN = 5_242_880;

/**
 * Previews a post on one network. If the post goes to no channel there, still shows the text, with the reason.
 * @param channels the endpoint's channels on the network
 * @param previewChannel previews the post on one of these channels, or on a placeholder channel if undefined
 * @param isOverridden true if the network has channels with their own overrides, which are previewed separately (D-61)
 */
export const previewNetwork = async (
  platform: string,
  channels: readonly PreviewTarget[],
  previewChannel: (channel: PreviewTarget | undefined) => Promise<ChannelPreview>,
  isOverridden = false,
): Promise<NetworkPreviewView> => {
  const receiving = channels.filter(({ isTarget, enabled }) => isTarget && enabled);
  const disabled = channels.filter(({ isTarget, enabled }) => isTarget && !enabled);
  const disabledWarnings = disabled.map(
    ({ channelId }) => new PreviewWarningView('channel_disabled', PREVIEW_MESSAGES.channelDisabled, channelId),
  );
  if (receiving.length === 0) {
    const { textAfterTrim, trimmedChars, warnings, can } = await previewChannel(disabled[0] ?? channels[0]);
    const reasons = disabled.length > 0 ? disabledWarnings : [noTarget(platform, channels.length > 0, isOverridden)];
    return new NetworkPreviewView(textAfterTrim, trimmedChars, [], [...reasons, ...warnings], can);
  }
  const previews: ChannelPreview[] = [];
  for (let size = 0; previews.length < receiving.length && size < MAX_SHOWN;) {
    const preview = await previewChannel(receiving[previews.length]);
    previews.push(preview);
    if (receiving.length > 1) size += JSON.stringify(preview.calls).length;
  }
  const omitted = receiving.length - previews.length;
  const { textAfterTrim, trimmedChars, can } = previews[0]!;
  const calls = previews.flatMap((preview) => preview.calls);
  const omittedWarnings = omitted > 0 ? [callsLeftOut(omitted)] : [];
  const warnings = [...mergeWarnings(previews, receiving), ...disabledWarnings, ...omittedWarnings];
  return new NetworkPreviewView(textAfterTrim, trimmedChars, calls, warnings, can);
};

/**
 * Merges the channels' warnings. A warning shared by all channels appears once; any other warning gets its channel's
 * id.
 */
const mergeWarnings = (
  previews: readonly ChannelPreview[],
  channels: readonly PreviewTarget[],
): PreviewWarningView[] => {
  const channelsWith = new Map<string, number>();
  for (const { warnings } of previews)
    for (const warning of new Set(warnings.map(identify)))
      channelsWith.set(warning, (channelsWith.get(warning) ?? 0) + 1);
  const isOfAll = (warning: Warning): boolean => channelsWith.get(identify(warning)) === previews.length;
  return previews.flatMap(({ warnings }, i) =>
    warnings
      .filter((warning) => i === 0 || !isOfAll(warning))
      .map((warning) => (isOfAll(warning) ? warning : { ...warning, target_id: channels[i]!.channelId })),
  );
};

const identify = ({ code, message }: Warning): string => `${code} ${message}`;

const noTarget = (platform: string, hasChannels: boolean, isOverridden: boolean): PreviewWarningView => {
  const withoutOverride = hasChannels ? PREVIEW_MESSAGES.noTarget : PREVIEW_MESSAGES.noChannel;
  const describe = isOverridden ? PREVIEW_MESSAGES.ownOverrides : withoutOverride;
  return new PreviewWarningView('no_target', describe({ platform }));
};

const callsLeftOut = (channels: number): PreviewWarningView =>
  new PreviewWarningView(
    'requests_left_out',
    PREVIEW_MESSAGES.callsLeftOut({ channels: countOf(channels, 'more channel') }),
  );

/** Maximum cost of a search that runs on this thread, in pattern instructions times UTF-16 units; takes about 2 ms. */
const MOST_LOCAL_STEPS = 50_000;
const TIMEOUT_MS = 10_000;

/** The owner who pays for a preview, and the error to throw when the owner's preview budget is used up. */
export interface PreviewPayer {
  readonly ownerId: string;
  readonly reject: (retryAfter: number) => Error;
}

/**
 * Runs the slow pattern searches of previews in a helper process, so that one owner's patterns do not delay another
 * owner's requests (ADR-221). A helper runs one search at a time, serving owners in turn.
 */
@Injectable()
export class PreviewPatterns implements OnModuleDestroy {
  private readonly library = import.meta.resolve('re2js');
  private readonly helper = new HelperProcess<PatternQuestion, PatternAnswer>({
    program: buildProgram(patternProgram, this.library, ...PATTERN_PROGRAM_PARTS),
    libraries: [this.library],
    timeoutMs: TIMEOUT_MS,
    maxHeapMb: 128,
    maxMemoryMb: 1_024,
  });

  constructor(private readonly budget: PreviewBudget) {}

  /** Creates the search for one preview. It runs a slow pattern only once per text. */
  open(payer: PreviewPayer): PreviewSearch {
    return new PreviewSearch((question) =>
      this.budget.spendElsewhere(payer.ownerId, payer.reject, () => this.ask(question, payer.ownerId)),
    );
  }

  onModuleDestroy(): void {
    this.helper.close();
  }

  /** Searches in the helper, or on this thread if no helper can run. */
  private async ask(question: PatternQuestion, ownerId: string): Promise<PatternAnswer> {
    const reply = await this.helper.ask(question, undefined, ownerId);
    if ('answer' in reply) return reply.answer;
    const startedAt = performance.now();
    const { pattern, text } = question;
    const found = question.isLast ? LOCAL_SEARCH.findLast(pattern, text) : LOCAL_SEARCH.matches(pattern, text);
    return { found, tookMs: performance.now() - startedAt };
  }
}

export class PreviewSearch implements PatternSearch {
  private readonly asked = new Map<string, Promise<void>>();
  private readonly found = new Map<string, PatternAnswer['found']>();

  constructor(private readonly ask: (question: PatternQuestion) => Promise<PatternAnswer>) {}

  /** Runs a project's slow searches. @throws the payer's error if the owner's preview budget is used up */
  async searchAhead(text: string, { filters = [], footer }: Processing, platform: string): Promise<void> {
    for (const { mode, pattern, platforms } of filters) {
      if (pattern === undefined || (platforms && !platforms.includes(platform))) continue;
      await this.askOnce({ pattern, text, isLast: false });
      // Publishing would not evaluate the remaining filters.
      if (mode === 'exclude' && this.found.get(keyOf({ pattern, text, isLast: false })) === true) return;
    }
    if (footer?.pattern !== undefined) await this.askOnce({ pattern: footer.pattern, text, isLast: true });
  }

  matches(pattern: string, text: string): boolean | null {
    const found = this.found.get(keyOf({ pattern, text, isLast: false }));
    return found === undefined ? LOCAL_SEARCH.matches(pattern, text) : (found as boolean | null);
  }

  findLast(pattern: string, text: string): number | null {
    const found = this.found.get(keyOf({ pattern, text, isLast: true }));
    return found === undefined ? LOCAL_SEARCH.findLast(pattern, text) : (found as number | null);
  }

  private askOnce(question: PatternQuestion): Promise<void> {
    const { pattern, text } = question;
    if (programSize(pattern) * text.length <= MOST_LOCAL_STEPS) return Promise.resolve();
    const key = keyOf(question);
    const asked = this.asked.get(key) ?? this.ask(question).then(({ found }) => void this.found.set(key, found));
    this.asked.set(key, asked);
    return asked;
  }
}

const keyOf = ({ pattern, text, isLast }: PatternQuestion): string => JSON.stringify([pattern, text, isLast]);
