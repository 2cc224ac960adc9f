import type { PostMedium, PublishPayload } from './payload.js';

export const OVERRIDE_FIELDS = ['text', 'entities', 'media', 'buttons'] as const;
/** One of {@link OVERRIDE_FIELDS}. */
export type OverrideField = (typeof OVERRIDE_FIELDS)[number];

/** Replaces a post's content for one network or target, field by field (D-61). Null removes a field. */
export type ContentOverride = { readonly [Field in OverrideField]?: PublishPayload[Field] | null };

/** Overrides, by network or target id. */
export type Overrides = Readonly<Record<string, ContentOverride>>;

/** A media list that targets receive, and its path in the body, such as `media` or `overrides.telegram.media`. */
export interface MediaList {
  readonly path: string;
  readonly media: readonly PostMedium[];
}

/** A target that a post goes to. */
export interface ContentTarget {
  readonly channelId: string;
  readonly platform: string;
}

/** Returns the post for one target, without overrides: applies its network's override, then its own (D-61). */
export const contentFor = (payload: PublishPayload, { channelId, platform }: ContentTarget): PublishPayload => {
  const { overrides, ...own } = payload;
  if (!overrides) return payload;
  return [overrides[platform], overrides[channelId]].reduce<PublishPayload>(applyOverride, own);
};

/** Returns the media lists that a post's targets receive, each once (D-61). */
export const listMedia = ({ media, overrides }: PublishPayload, addressed: readonly ContentTarget[]): MediaList[] => {
  const own: MediaList[] = media ? [{ path: 'media', media }] : [];
  if (!overrides) return own;
  const keys = addressed.map(({ platform, channelId }) =>
    [channelId, platform].find((key) => overrides[key]?.media !== undefined),
  );
  return [...new Set(keys)].flatMap((key) => {
    if (key === undefined) return own;
    const ofKey = overrides[key]!.media;
    return ofKey ? [{ path: `overrides.${key}.media`, media: ofKey }] : [];
  });
};

/** Lists the keys of overrides that no target of a post uses (D-61). */
export const listUnusedOverrides = (
  { overrides = {} }: PublishPayload,
  addressed: readonly ContentTarget[],
): readonly string[] => {
  const used = new Set(addressed.flatMap(({ platform, channelId }) => [platform, channelId]));
  return Object.keys(overrides).filter((key) => !used.has(key));
};

const applyOverride = (below: PublishPayload, override: ContentOverride | undefined): PublishPayload => {
  if (!override) return below;
  // Entities from the layer below refer to the text that is being replaced.
  const above = 'text' in override ? { entities: null, ...override } : override;
  const fields = Object.entries({ ...below, ...above }).filter(([, value]) => value !== null);
  return Object.fromEntries(fields);
};
