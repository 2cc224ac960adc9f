import type { JsonObject } from '../kernel/ids.js';
import type { LocatedMedium, PostMedium, PublishPayload, Upload } from './payload.js';

type Content = Pick<PublishPayload, 'media' | 'overrides'>;

/** True for an uploaded file. */
export const isUpload = (medium: PostMedium): medium is Upload => !('url' in medium);

/** Returns a payload with other media in place of its uploads, also in its overrides. */
export const mapUploads = <Payload extends Content>(
  payload: Payload,
  change: (upload: Upload, path: string) => PostMedium,
): Payload => {
  const { media, overrides } = payload;
  const changeList = (list: readonly PostMedium[], path: string): readonly PostMedium[] =>
    list.map((medium, index) => (isUpload(medium) ? change(medium, `${path}[${index}]`) : medium));
  const changed = media?.some(isUpload) ? { media: changeList(media, 'media') } : null;
  if (!overrides) return changed ? { ...payload, ...changed } : payload;
  const layers = Object.entries(overrides).map(([key, layer]) => [
    key,
    layer.media?.some(isUpload) ? { ...layer, media: changeList(layer.media, `overrides.${key}.media`) } : layer,
  ]);
  return { ...payload, ...changed, overrides: Object.fromEntries(layers) as Content['overrides'] };
};

/** Lists the ids of all uploads in a payload and its overrides, each once. */
export const listUploadIds = ({ media = [], overrides }: Content): readonly string[] => {
  const lists = overrides ? [media, ...Object.values(overrides).map((layer) => layer.media ?? [])] : [media];
  const ids = lists.flatMap((list) => list.filter(isUpload).map(({ id }) => id));
  return ids.length > 1 ? [...new Set(ids)] : ids;
};

/** The id of an upload, or the URL of another file: what a file is known by. */
export const sourceOf = ({ id, url }: LocatedMedium): string => id ?? url;

/** The field of a post that names a file: `media[0].url`. */
export const fieldOf = ({ id }: Pick<LocatedMedium, 'id'>, index: number): string =>
  `media[${index}].${id ? 'id' : 'url'}`;

/** Returns a file with an address: that of an upload whose address is unknown is its id. */
export const toLocated = (medium: PostMedium): LocatedMedium =>
  isUpload(medium) ? { ...medium, url: medium.id } : medium;

/** Describes a file of a post for webhooks: an upload has an id as well. */
export const toWebhookMedium = (medium: PostMedium): JsonObject => {
  const { type, id, url } = toLocated(medium);
  return id === undefined ? { type, url } : { type, id, url };
};
