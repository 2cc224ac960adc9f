import type { Api } from '../../api/management.js';
import { NETWORKS } from '../../components/networks.js';
import { type Entity, fromEntities, isEditable, toEntities } from '../../editor/entities.js';
import { type FormattedText, NO_TEXT } from '../../editor/formatted-text.js';
import { chooseInstant, chosenInstant, type ChosenTime } from '../../planning/choose-time.js';
import { browserZone } from '../../time/local-time.js';

/** A media file or button of a draft, as in a payload. */
export type Medium = Omit<Api<'MediaRequest'>, 'type'> & {
  readonly type: NonNullable<Api<'MediaRequest'>['type']>;
};
export type PostButton = Api<'ButtonRequest'>;

/** Parts of an edited post that Compose does not show but sends back unchanged. */
export interface Kept {
  /** Overrides of media and buttons, and channel overrides, by network or channel. */
  readonly overrides: Readonly<Record<string, Api<'OverrideRequest'>>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly trace_id?: string;
  /**
   * The text as received, with all its formatting, by network; `all` is the common text. The original formatting is
   * sent back unless the text has changed.
   */
  readonly texts: Readonly<Record<string, { readonly value: FormattedText; readonly entities: readonly Entity[] }>>;
}

/** A post that is being written. */
export interface Draft {
  /** Idempotency key: sending the draft again does not create a second post. */
  readonly key: string;
  /**
   * The content last sent with the key, if it is unknown whether the gateway accepted it (no response or a server
   * error); otherwise null.
   */
  readonly attempted: string | null;
  readonly text: FormattedText;
  /** Text for networks that have their own. */
  readonly overrides: Readonly<Record<string, FormattedText>>;
  readonly media: readonly Medium[];
  /** Rows of buttons; none is empty. */
  readonly buttons: readonly (readonly PostButton[])[];
  /** The chosen endpoint of a program; null for the console's own. */
  readonly endpointId: string | null;
  /** The chosen channel set, which is published through the console's own endpoint; null until one is chosen. */
  readonly setId: string | null;
  /** Ids of the endpoint's channels that should not receive the post. */
  readonly leftOut: readonly string[];
  /** When to publish the post; null for now. */
  readonly when: ChosenTime | null;
  /** How many minutes the project and the channels stay paused after the post is published. */
  readonly pauses: { readonly project: number; readonly channels: number };
  readonly externalId: string;
  readonly isAdvertisement: boolean;
  readonly isSilent: boolean;
  readonly isPinned: boolean;
  /** Revision of the planned post that is being changed; null for a new post. */
  readonly revision: number | null;
  /** Where the gateway keeps the draft, and what it keeps; null if it does not, or not yet. */
  readonly saved: { readonly id: string; readonly revision: number; readonly mark: string } | null;
  readonly kept: Kept;
}

/** Returns a new idempotency key. */
export const createKey = (): string => `console-${crypto.randomUUID()}`;

/** Returns an empty draft. */
export const createDraft = (endpointId: string | null = null): Draft => ({
  key: createKey(),
  attempted: null,
  text: NO_TEXT,
  overrides: {},
  media: [],
  buttons: [],
  endpointId,
  setId: null,
  leftOut: [],
  when: null,
  pauses: { project: 0, channels: 0 },
  externalId: '',
  isAdvertisement: false,
  isSilent: false,
  isPinned: false,
  revision: null,
  saved: null,
  kept: { overrides: {}, texts: {} },
});

/** True if there is nothing to publish. */
export const isEmpty = ({ text, overrides, media, buttons }: Draft): boolean =>
  [text, ...Object.values(overrides)].every((each) => each.text.trim() === '') &&
  media.length === 0 &&
  buttons.length === 0;

/** Returns the text that a network shows. */
export const textOf = ({ text, overrides }: Pick<Draft, 'text' | 'overrides'>, platform: string): FormattedText =>
  overrides[platform] ?? text;

/**
 * Returns the request body that publishes a draft.
 * @param channelIds ids of the destination's channels
 * @param isPart true if the endpoint posts to further channels
 */
export const toPayload = (
  draft: Draft,
  channelIds: readonly string[],
  isPart = false,
): Api<'PublishPayloadRequest'> => {
  const { text, media, buttons, leftOut, when, pauses, externalId, isAdvertisement, isSilent, isPinned, kept } = draft;
  const entities = entitiesOf(text, kept.texts.all);
  const targets = channelIds.filter((id) => !leftOut.includes(id));
  const overrides = overridesOf(draft);
  const at = when === null ? null : chosenInstant(when, browserZone());
  return {
    ...(text.text !== '' && { text: text.text }),
    ...(entities.length > 0 && { entities }),
    ...(media.length > 0 && { media }),
    ...(buttons.length > 0 && { buttons }),
    ...((isPart || targets.length < channelIds.length) && { targets: targets.map((id) => ({ id })) }),
    ...(Object.keys(overrides).length > 0 && { overrides }),
    ...(at !== null && { publish_at: new Date(at).toISOString() }),
    ...(pauses.project > 0 && { ad_pause_minutes: pauses.project }),
    ...(pauses.channels > 0 && { ad_target_pause_minutes: pauses.channels }),
    ...(isAdvertisement && { is_advertisement: true }),
    ...(isSilent && { silent: true }),
    ...(isPinned && { pin: true }),
    ...(externalId !== '' && { external_id: externalId }),
    ...(kept.trace_id !== undefined && { trace_id: kept.trace_id }),
    ...(kept.metadata !== undefined && { metadata: kept.metadata }),
  };
};

const overridesOf = ({ overrides, kept }: Draft): Readonly<Record<string, Api<'OverrideRequest'>>> => {
  const all: Record<string, Api<'OverrideRequest'>> = { ...kept.overrides };
  for (const [platform, own] of Object.entries(overrides)) {
    const entities = entitiesOf(own, kept.texts[platform]);
    all[platform] = { ...all[platform], text: own.text, ...(entities.length > 0 && { entities }) };
  }
  return all;
};

/** Returns the formatting of the text. Unchanged text keeps its original formatting. */
const entitiesOf = (text: FormattedText, kept: Kept['texts'][string] | undefined): readonly Entity[] =>
  kept && JSON.stringify(kept.value) === JSON.stringify(text) ? kept.entities : toEntities(text);

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
    isSilent: payload.silent ?? false,
    isPinned: payload.pin ?? false,
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

/**
 * Returns the ids of the channels that are left out once some of those on offer are chosen. Channels that are not on
 * offer, for example because they are still loading, stay as they were.
 */
export const leaveOut = (
  leftOut: readonly string[],
  offered: readonly string[],
  chosen: readonly string[],
): readonly string[] => {
  const others = leftOut.filter((id) => !offered.includes(id));
  return [...others, ...offered.filter((id) => !chosen.includes(id))];
};
