import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { JsonObject } from '../kernel/json.js';
import type { PublishPayload } from '../payload/payload.js';
import { type PlatformChannel, platformPostOf, type Warning } from '../platforms/publisher.js';
import { Publishers } from '../platforms/registry.js';
import { FindThing } from '../projections/discovery/discovery.queries.js';
import type { EndpointAccess } from '../projections/discovery/endpoint-access.queries.js';

/** What a post becomes on one network (spec: POST /v1/sandbox/test; D-38, D-44). */
export interface Preview {
  readonly text_after_trim: string;
  /** UTF-16 units cut from the original text. */
  readonly trimmed_chars: number;
  /** The calls that publishing would make, in order; credentials never stand in them. */
  readonly requests: readonly { readonly step: string; readonly method: string; readonly request: JsonObject }[];
  readonly warnings: readonly Warning[];
}

/** Previewed whether a target of the endpoint is on them or not; another network where one is (D-4). */
const ALWAYS = ['telegram', 'vk', 'max'];
/** Stands for a channel where the endpoint has none. */
const ANY_CHANNEL: PlatformChannel = { id: '', address: { chat_id: '0', group_id: '0' }, settings: {} };

/** Renders a payload with the code that publishes, for one channel of each network. */
@Injectable()
export class SandboxPreview {
  constructor(
    private readonly publishers: Publishers,
    private readonly queries: QueryBus,
  ) {}

  /** Previews by network. A channel that the post would go to stands for its network, else one of the endpoint's. */
  async of(payload: PublishPayload, endpoint: EndpointAccess): Promise<Readonly<Record<string, Preview>>> {
    const post = platformPostOf(payload);
    const channelIds = channelByPlatform(payload, endpoint);
    const previews = [...new Set([...ALWAYS, ...channelIds.keys()])].map(async (platform) => {
      const channel = await this.channel(channelIds.get(platform), endpoint.owner_id);
      const { steps, warnings, textAfterTrim, trimmedChars } = this.publishers.of(platform).render(post, channel);
      const requests = steps.map(({ name, method, request }) => ({ step: name, method, request }));
      return [platform, { text_after_trim: textAfterTrim, trimmed_chars: trimmedChars, requests, warnings }] as const;
    });
    return Object.fromEntries(await Promise.all(previews));
  }

  private async channel(id: string | undefined, ownerId: string): Promise<PlatformChannel> {
    const row = id === undefined ? null : await this.queries.execute(new FindThing('channel', id, ownerId));
    return row ? { id: row.channel_id, address: row.address, settings: { ...row.settings } } : ANY_CHANNEL;
  }
}

/** The channel of each network that is looked at: the first that the post names, else the endpoint's first. */
const channelByPlatform = ({ targets }: PublishPayload, { projects }: EndpointAccess): Map<string, string> => {
  const channels = projects.flatMap((project) => project.channels).filter(({ enabled }) => enabled);
  const named = new Set(targets?.map(({ id }) => id));
  const found = new Map<string, string>();
  for (const { platform, channel_id } of [...channels.filter((one) => named.has(one.channel_id)), ...channels])
    if (!found.has(platform)) found.set(platform, channel_id);
  return found;
};
