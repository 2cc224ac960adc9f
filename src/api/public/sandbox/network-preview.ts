import { countOf } from '../../../kernel/message.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { Warning } from '../../../platforms/publisher.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { PREVIEW_MESSAGES } from '../messages.js';
import { NetworkPreviewView, type PreviewCallView, PreviewWarningView } from './sandbox.view.js';

/** The post as it would be published on one channel. */
export interface ChannelPreview {
  readonly textAfterTrim: string;
  /** UTF-16 units cut from the original text. */
  readonly trimmedChars: number;
  readonly calls: readonly PreviewCallView[];
  readonly warnings: readonly Warning[];
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
    const { textAfterTrim, trimmedChars, warnings } = await previewChannel(disabled[0] ?? channels[0]);
    const reasons = disabled.length > 0 ? disabledWarnings : [noTarget(platform, channels.length > 0, isOverridden)];
    return new NetworkPreviewView(textAfterTrim, trimmedChars, [], [...reasons, ...warnings]);
  }
  const previews: ChannelPreview[] = [];
  for (let size = 0; previews.length < receiving.length && size < MAX_SHOWN;) {
    const preview = await previewChannel(receiving[previews.length]);
    previews.push(preview);
    if (receiving.length > 1) size += JSON.stringify(preview.calls).length;
  }
  const omitted = receiving.length - previews.length;
  const { textAfterTrim, trimmedChars } = previews[0]!;
  const calls = previews.flatMap((preview) => preview.calls);
  const omittedWarnings = omitted > 0 ? [callsLeftOut(omitted)] : [];
  const warnings = [...mergeWarnings(previews, receiving), ...disabledWarnings, ...omittedWarnings];
  return new NetworkPreviewView(textAfterTrim, trimmedChars, calls, warnings);
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
