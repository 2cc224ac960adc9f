import type { Api } from '../../api/management.js';
import { NETWORKS } from '../../components/networks.js';
import { fromEntities, isEditable } from '../../editor/from-entities.js';
import { chooseInstant } from '../../planning/choose-time.js';
import { browserZone } from '../../time/local-time.js';
import { createDraft, type Draft, type Kept } from './draft.js';

const NETWORK_IDS: ReadonlySet<string> = new Set(NETWORKS);

/** Returns a draft for editing a planned post; null if the gateway no longer stores its content. */
export const editedDraft = (post: Api<'PostWithPayload'>, channelIds: readonly string[]): Draft | null => {
  const { payload } = post;
  if (payload === null) return null;
  const overrides: Record<string, Draft['text']> = {};
  const keptOverrides: Record<string, Api<'OverrideRequest'>> = {};
  const texts: Record<string, Kept['texts'][string]> = {};
  const read = (name: string, text: string, entities: readonly Api<'Entity'>[] = []): Draft['text'] => {
    const value = fromEntities(text, entities);
    texts[name] = { value, entities };
    return value;
  };
  const text = read('all', payload.text ?? '', payload.entities);
  for (const [key, override] of Object.entries(payload.overrides ?? {})) {
    const { text: own, entities, ...rest } = override;
    if (!NETWORK_IDS.has(key) || own === undefined) {
      keptOverrides[key] = override;
      continue;
    }
    overrides[key] = read(key, own ?? '', entities ?? []);
    if (Object.keys(rest).length > 0) keptOverrides[key] = rest;
  }
  const targets = payload.targets?.map(({ id }) => id);
  return {
    ...createDraft(post.endpoint_id),
    text,
    overrides,
    media: payload.media ?? [],
    buttons: payload.buttons ?? [],
    leftOut: targets ? channelIds.filter((id) => !targets.includes(id)) : [],
    when: post.publish_at === null ? null : chooseInstant(Date.parse(post.publish_at), browserZone()),
    pauses: { project: payload.ad_pause_minutes ?? 0, channels: payload.ad_target_pause_minutes ?? 0 },
    externalId: payload.external_id ?? '',
    isAdvertisement: payload.is_advertisement ?? false,
    revision: post.revision,
    kept: {
      overrides: keptOverrides,
      texts,
      ...(payload.metadata !== undefined && { metadata: payload.metadata }),
      ...(payload.trace_id !== undefined && { trace_id: payload.trace_id }),
    },
  };
};

/** Returns whether editing the text would lose formatting that the editor does not support. */
export const losesFormatting = ({ kept }: Draft, name: string): boolean => !isEditable(kept.texts[name]?.entities);
