import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Processing } from '../../../domain/project/processing.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { PlatformChannel, ProbedMedium, Warning } from '../../../platforms/publisher.js';
import { Publishers } from '../../../platforms/registry.js';
import { type Processed, processPost } from '../../../processing/process-post.js';
import { FindThing } from '../../../projections/discovery/discovery.queries.js';
import type { EndpointAccess } from '../../../projections/discovery/endpoint-access.queries.js';
import { networkPreview, type Part, type Place, placesOf, type Preview } from './network-preview.js';
import { SandboxTranslation } from './sandbox-translation.js';

/** Previewed whether a target of the endpoint is on them or not; another network where one is (D-4). */
const ALWAYS = ['telegram', 'vk', 'max'];
/** Stands for a channel where the endpoint has none. */
const ANY_CHANNEL: PlatformChannel = { id: '', address: { chat_id: '0', group_id: '0' }, settings: {} };

/** Renders a payload with the code that publishes, for every channel that it would go to. */
@Injectable()
export class SandboxPreview {
  constructor(
    private readonly publishers: Publishers,
    private readonly queries: QueryBus,
    private readonly translation: SandboxTranslation,
  ) {}

  /**
   * Previews by network.
   * @param media the payload's, as far as they are known
   */
  async of(
    payload: PublishPayload,
    media: readonly ProbedMedium[],
    endpoint: EndpointAccess,
  ): Promise<Readonly<Record<string, Preview>>> {
    const places = placesOf(payload, endpoint);
    const ownProject = endpoint.projects[0]?.project_id;
    const processing = once((projectId: string) => this.processing(projectId, endpoint.owner_id));
    const translate = this.translation.once();
    const platforms = new Set([...ALWAYS, ...places.map(({ platform }) => platform)]);
    const previews = [...platforms].map(async (platform) => {
      const processed = once(async (projectId: string | undefined) =>
        processPost(payload, projectId === undefined ? {} : await processing(projectId), platform, translate),
      );
      const on = async (place: Place | undefined): Promise<Part> => {
        const channel = await this.channel(place?.channelId, endpoint.owner_id);
        return this.part(await processed(place?.projectId ?? ownProject), media, platform, channel);
      };
      const there = places.filter((place) => place.platform === platform);
      return [platform, await networkPreview(platform, there, on)] as const;
    });
    return Object.fromEntries(await Promise.all(previews));
  }

  /** What a post that does not go, or not yet, shows is why. */
  private part(processed: Processed, media: readonly ProbedMedium[], platform: string, channel: PlatformChannel): Part {
    if (processed.kind === 'filtered') return nothingSent(processed.reason);
    if (processed.kind === 'wait') {
      const { code, message } = processed.error;
      return nothingSent({ code, message: `${message} The post would wait and be tried again.` });
    }
    const publisher = this.publishers.of(platform);
    const foreseen = publisher.foresee(media);
    const { steps, warnings, textAfterTrim, trimmedChars } = publisher.render(processed.post, channel, foreseen);
    // A step that ends with what is known already comes to no call.
    const taken = steps.filter(({ name }) => !(name in foreseen) || foreseen[name]!['fitted'] === true);
    const requests = taken.flatMap((step) =>
      publisher
        .callsOf(step, media)
        .map(({ method, request }) => ({ step: step.name, method, request, target_id: channel.id })),
    );
    const all = [...processed.warnings, ...warnings];
    return { text_after_trim: textAfterTrim, trimmed_chars: trimmedChars, requests, warnings: all };
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

const nothingSent = (why: Warning): Part => ({
  text_after_trim: '',
  trimmed_chars: 0,
  requests: [],
  warnings: [why],
});

/** Asks for each key once. */
const once = <Key, Value>(ask: (key: Key) => Promise<Value>): ((key: Key) => Promise<Value>) => {
  const asked = new Map<Key, Promise<Value>>();
  return (key) => {
    const answer = asked.get(key) ?? ask(key);
    asked.set(key, answer);
    return answer;
  };
};
