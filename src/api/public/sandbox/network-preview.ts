import type { JsonObject } from '../../../kernel/json.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { Warning } from '../../../platforms/publisher.js';
import type { EndpointAccess } from '../../../projections/discovery/endpoint-access.queries.js';

/** What a post becomes on one network (publish-api.md: POST /v1/sandbox/test; D-38, D-44). */
export interface Preview {
  /** On the first of the channels that it goes to. */
  readonly text_after_trim: string;
  /** UTF-16 units cut from the original text. */
  readonly trimmed_chars: number;
  /** The calls that publishing would make, in order, channel by channel; credentials never stand in them. */
  readonly requests: readonly ShownRequest[];
  readonly warnings: readonly ShownWarning[];
}

/** One call, and the channel that it is made for. */
export interface ShownRequest {
  readonly step: string;
  readonly method: string;
  readonly request: JsonObject;
  readonly target_id: string;
}

/** `target_id` where it is not true of every channel of the network that the post goes to. */
export interface ShownWarning extends Warning {
  readonly target_id?: string;
}

/** What becomes of a post on one channel. */
export interface Part extends Preview {
  readonly warnings: readonly Warning[];
}

/** A channel of the endpoint. */
export interface Place {
  readonly platform: string;
  readonly channelId: string;
  /** The project that stands first decides (D-27). */
  readonly projectId: string;
  readonly enabled: boolean;
  /** Whether it is one of the post's targets, or the post names none. */
  readonly meant: boolean;
}

/** An endpoint's channels, each once, in the order in which a post goes to them. */
export const placesOf = ({ targets = [] }: PublishPayload, { projects }: EndpointAccess): readonly Place[] => {
  const named = new Set(targets.map(({ id }) => id));
  const places = new Map<string, Place>();
  for (const { project_id: projectId, channels } of projects) {
    for (const { channel_id: channelId, platform, enabled } of channels) {
      const meant = named.size === 0 || named.has(channelId);
      if (!places.has(channelId)) places.set(channelId, { platform, channelId, projectId, enabled, meant });
    }
  }
  return [...places.values()];
};

/** UTF-16 units of a network's calls from which on no further channel's are shown. */
const MAX_SHOWN = 5_242_880;

/**
 * One network's preview. Where nothing of the post goes there, the text is shown all the same (spec), and why it does not.
 * @param there the endpoint's channels on the network
 * @param on what becomes of the post on one of them; on none: on any
 */
export const networkPreview = async (
  platform: string,
  there: readonly Place[],
  on: (place: Place | undefined) => Promise<Part>,
): Promise<Preview> => {
  const receiving = there.filter(({ meant, enabled }) => meant && enabled);
  const off = there.filter(({ meant, enabled }) => meant && !enabled);
  const offWarnings = off.map(switchedOff);
  if (receiving.length === 0) {
    const shown = await on(off[0] ?? there[0]);
    const why = off.length > 0 ? offWarnings : [noTarget(platform, there.length > 0)];
    return { ...shown, requests: [], warnings: [...why, ...shown.warnings] };
  }
  const parts: Part[] = [];
  for (let size = 0; parts.length < receiving.length && size < MAX_SHOWN;) {
    const part = await on(receiving[parts.length]);
    parts.push(part);
    if (receiving.length > 1) size += JSON.stringify(part.requests).length;
  }
  const hidden = receiving.length - parts.length;
  return {
    ...parts[0]!,
    requests: parts.flatMap(({ requests }) => requests),
    warnings: [...warningsOf(parts, receiving), ...offWarnings, ...(hidden > 0 ? [leftOut(hidden)] : [])],
  };
};

/** What is told of every channel alike is told once; anything else names its channel. */
const warningsOf = (parts: readonly Part[], places: readonly Place[]): ShownWarning[] => {
  const channelsWith = new Map<string, number>();
  for (const { warnings } of parts)
    for (const warning of new Set(warnings.map(wording)))
      channelsWith.set(warning, (channelsWith.get(warning) ?? 0) + 1);
  const isOfAll = (warning: Warning): boolean => channelsWith.get(wording(warning)) === parts.length;
  return parts.flatMap(({ warnings }, i) =>
    warnings
      .filter((warning) => i === 0 || !isOfAll(warning))
      .map((warning) => (isOfAll(warning) ? warning : { ...warning, target_id: places[i]!.channelId })),
  );
};

const wording = ({ code, message }: Warning): string => `${code} ${message}`;

const switchedOff = ({ channelId }: Place): ShownWarning => ({
  code: 'channel_disabled',
  message: 'The channel is switched off: nothing of this post goes to it.',
  target_id: channelId,
});

const noTarget = (platform: string, isThere: boolean): ShownWarning => ({
  code: 'no_target',
  message: `Nothing of this post goes to ${platform}: ${isThere ? "none of the post's targets is there" : 'the endpoint has no channel there'}.`,
});

const leftOut = (channels: number): ShownWarning => ({
  code: 'requests_left_out',
  message: `The calls for ${channels} more channels are not shown: it would be too much.`,
});
