import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Processing } from '../domain/project/processing.js';
import type { JsonObject } from '../kernel/json.js';
import type { PublishPayload } from '../payload/payload.js';
import type { PlatformChannel, ProbedMedium, Warning } from '../platforms/publisher.js';
import { Publishers } from '../platforms/registry.js';
import { type Processed, processPost } from '../processing/process-post.js';
import { FindThing } from '../projections/discovery/discovery.queries.js';
import type { EndpointAccess } from '../projections/discovery/endpoint-access.queries.js';
import { SandboxTranslation } from './sandbox-translation.js';

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
    private readonly translation: SandboxTranslation,
  ) {}

  /**
   * Previews by network. A channel that the post would go to stands for its network, else one of the endpoint's.
   * @param media the payload's, as far as they are known
   */
  async of(
    payload: PublishPayload,
    media: readonly ProbedMedium[],
    endpoint: EndpointAccess,
  ): Promise<Readonly<Record<string, Preview>>> {
    const places = placeByPlatform(payload, endpoint);
    const ownProject = endpoint.projects[0]?.project_id;
    const processing = this.processingOf(endpoint.owner_id);
    const translate = this.translation.once();
    const previews = [...new Set([...ALWAYS, ...places.keys()])].map(async (platform) => {
      const { channelId, projectId = ownProject } = places.get(platform) ?? {};
      const channel = await this.channel(channelId, endpoint.owner_id);
      const processed = await processPost(payload, await processing(projectId), platform, translate);
      return [platform, this.preview(processed, media, platform, channel)] as const;
    });
    return Object.fromEntries(await Promise.all(previews));
  }

  /** What a post that does not go, or not yet, shows is why. */
  private preview(
    processed: Processed,
    media: readonly ProbedMedium[],
    platform: string,
    channel: PlatformChannel,
  ): Preview {
    if (processed.kind === 'filtered') return nothingSent(processed.reason);
    if (processed.kind === 'wait') {
      const { code, message } = processed.error;
      return nothingSent({ code, message: `${message} The post would wait and be tried again.` });
    }
    const publisher = this.publishers.of(platform);
    const foreseen = publisher.foresee(media);
    const { steps, warnings, textAfterTrim, trimmedChars } = publisher.render(processed.post, channel, foreseen);
    // A step that ends with what is known already comes to no call.
    const calls = steps.filter(({ name }) => !(name in foreseen) || foreseen[name]!['fitted'] === true);
    const requests = calls.map(({ name, method, request }) => ({ step: name, method, request }));
    const all = [...processed.warnings, ...warnings];
    return { text_after_trim: textAfterTrim, trimmed_chars: trimmedChars, requests, warnings: all };
  }

  /** Reads each project once. */
  private processingOf(ownerId: string): (projectId: string | undefined) => Promise<Processing> {
    const read = new Map<string, Promise<Processing>>();
    return (projectId) => {
      if (projectId === undefined) return Promise.resolve({});
      const found = read.get(projectId) ?? this.processing(projectId, ownerId);
      read.set(projectId, found);
      return found;
    };
  }

  private async processing(projectId: string, ownerId: string): Promise<Processing> {
    const row = await this.queries.execute(new FindThing('project', projectId, ownerId));
    // What is stored has passed the checks of the management API.
    return row?.processing ?? {};
  }

  private async channel(id: string | undefined, ownerId: string): Promise<PlatformChannel> {
    const row = id === undefined ? null : await this.queries.execute(new FindThing('channel', id, ownerId));
    return row ? { id: row.channel_id, address: row.address, settings: { ...row.settings } } : ANY_CHANNEL;
  }
}

const nothingSent = (why: Warning): Preview => ({
  text_after_trim: '',
  trimmed_chars: 0,
  requests: [],
  warnings: [why],
});

interface Place {
  readonly channelId: string;
  /** The project that stands first decides (D-27). */
  readonly projectId: string;
}

/** The channel of each network that is looked at: the first that the post names, else the endpoint's first. */
const placeByPlatform = ({ targets }: PublishPayload, { projects }: EndpointAccess): Map<string, Place> => {
  const channels = projects.flatMap(({ project_id, channels: own }) =>
    own.filter(({ enabled }) => enabled).map((channel) => ({ ...channel, project_id })),
  );
  const named = new Set(targets?.map(({ id }) => id));
  const found = new Map<string, Place>();
  for (const { platform, channel_id, project_id } of [
    ...channels.filter((one) => named.has(one.channel_id)),
    ...channels,
  ])
    if (!found.has(platform)) found.set(platform, { channelId: channel_id, projectId: project_id });
  return found;
};
