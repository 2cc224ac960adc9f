import type { AddressPolicy } from '../outbound-http/url-rules.js';
import { checkFields, checkObject, isObject, readFields, type Sent } from '../validation/check-fields.js';
import { ProblemList } from '../validation/problem-list.js';
import { isVisible } from '../validation/text-measure.js';
import { joinPath } from '../validation/wording.js';
import { PAYLOAD_MESSAGES } from './messages.js';
import { type ContentOverride, type ContentTarget, OVERRIDE_FIELDS, type OverrideField } from './overrides.js';
import { OverrideDto } from './payload.dto.js';
import type { PublishPayload } from './payload.js';
import { findEntityProblems, readButtons, readEntities, readMedia } from './read-lists.js';

/** The networks and targets that a payload may override content for (D-61). */
export interface Audience {
  /** Ids of all networks. */
  readonly platforms: readonly string[];
  /** All targets of the endpoint. */
  readonly targets: readonly ContentTarget[];
}

/** The audience of an unknown endpoint: every override is refused. */
export const NO_AUDIENCE: Audience = { platforms: [], targets: [] };

/** Lists the targets of a post: the targets it names or, if it names none, the whole audience. */
export const listAddressed = (
  { targets: named = [] }: Pick<PublishPayload, 'targets'>,
  { targets }: Audience,
): readonly ContentTarget[] => {
  if (named.length === 0) return targets;
  const ids = new Set(named.map(({ id }) => id));
  return targets.filter(({ channelId }) => ids.has(channelId));
};

/** The content fields of a payload, or of one of its overrides. */
export interface ContentLayer {
  /** Path in the body: empty, or for example `overrides.telegram`. */
  readonly path: string;
  /** The fields that the layer sets, or removes with null. */
  readonly fields: ContentOverride;
  /** Fields that violate a rule, so their effect on targets is unknown. */
  readonly broken: ReadonlySet<string>;
  /** Problems with the media themselves. They count only if a target gets these media. */
  readonly mediaProblems: ProblemList;
}

const prefixOf = (path: string): string => (path === '' ? '' : `${path}.`);

interface Reading {
  /** Private addresses that media URLs may have. */
  readonly policy: AddressPolicy;
  /** Receives the schema problems. All other problems depend on the targets. */
  readonly problems: ProblemList;
}

/**
 * Reads the content fields of a payload or override. Like null, an empty field removes the value from the layers below.
 * @param wrong fields that violate a rule
 */
export const readLayer = (
  sent: Sent,
  dto: OverrideDto,
  wrong: ReadonlySet<string>,
  path: string,
  { policy, problems }: Reading,
): ContentLayer => {
  const broken = new Set(wrong);
  const mediaProblems = new ProblemList();
  const prefix = prefixOf(path);
  /** Reads a list with its own rules for items. */
  const readItems = <T>(field: OverrideField, read: (list: unknown, place: string) => readonly T[]): readonly T[] => {
    const before = problems.size;
    const items = read(dto[field], `${prefix}${field}`);
    if (problems.size > before) broken.add(field);
    return items;
  };
  const { text } = dto;
  const entities = readItems('entities', (list, place) => readEntities(list, undefined, problems, place));
  const media = readItems('media', (list, place) => readMedia(list, policy, problems, place, mediaProblems));
  const buttons = readItems('buttons', (list, place) => readButtons(list, problems, place));
  const isText = typeof text === 'string' && isVisible(text);
  const fields: ContentOverride = {
    ...('text' in sent && { text: isText ? text : null }),
    ...('entities' in sent && { entities: entities.length > 0 ? entities : null }),
    ...('media' in sent && { media: media.length > 0 ? media : null }),
    ...('buttons' in sent && { buttons: buttons.length > 0 ? buttons : null }),
  };
  return { path, fields, broken, mediaProblems };
};

/** Reads the overrides of a payload, by key. A value that is not an object has already been reported. */
export const readOverrides = (
  sent: unknown,
  audience: Audience,
  reading: Reading,
): ReadonlyMap<string, ContentLayer> => {
  const { problems } = reading;
  const layers = new Map<string, ContentLayer>();
  if (!isObject(sent)) return layers;
  const { platforms, targets } = audience;
  const known = new Set([...platforms, ...targets.map(({ channelId }) => channelId)]);
  for (const [key, value] of Object.entries(sent)) {
    if (value === null) continue;
    if (problems.isFull) break;
    const path = joinPath('overrides.', key);
    if (!known.has(key)) {
      const predicate = PAYLOAD_MESSAGES.unknownOverride({ platforms: platforms.join(', ') });
      problems.add(422, path, 'unknown_override', predicate);
    }
    if (!checkObject(value, path, problems)) continue;
    if (!OVERRIDE_FIELDS.some((field) => field in value))
      problems.add(422, path, 'empty', PAYLOAD_MESSAGES.emptyOverride({ fields: OVERRIDE_FIELDS.join(', ') }));
    const dto = readFields(OverrideDto, value);
    layers.set(key, readLayer(value, dto, checkFields(dto, path, problems), path, reading));
  }
  return layers;
};

/**
 * Finds problems in the content that targets would receive from a payload and its overrides: entities outside their
 * text, media that cannot be published, or no content at all. Checks each combination of layers once.
 * @param addressed the targets of the post; if empty, the payload itself is checked
 */
export const findTargetProblems = (
  payload: ContentLayer,
  overrides: ReadonlyMap<string, ContentLayer>,
  addressed: readonly ContentTarget[],
  problems: ProblemList,
): void => {
  const chains = new Map<string, readonly ContentLayer[]>();
  for (const { platform, channelId } of addressed) {
    const above = [overrides.get(platform), overrides.get(channelId)].filter((layer) => layer !== undefined);
    chains.set(above.map(({ path }) => path).join(' '), [payload, ...above]);
  }
  if (chains.size === 0) chains.set('', [payload]);
  const checked = new Set<string>();
  const isFirst = (part: string): boolean => !checked.has(part) && Boolean(checked.add(part));
  for (const chain of chains.values()) {
    const { text, entities, media, buttons } = findSources(chain);
    const isSure = (layer: ContentLayer | undefined, field: OverrideField): boolean => !layer?.broken.has(field);
    if (entities?.fields.entities && isSure(entities, 'entities') && isSure(text, 'text')) {
      const path = `${prefixOf(entities.path)}entities`;
      if (isFirst(`${path} in ${text?.path}`))
        problems.addAll(400, findEntityProblems(text?.fields.text ?? '', entities.fields.entities, path));
    }
    if (media && isFirst(`media of ${media.path}`)) problems.addAll(400, media.mediaProblems.refused().problems);
    const isEmpty = !text?.fields.text && !media?.fields.media && !buttons?.fields.buttons;
    if (isEmpty && isSure(text, 'text') && isSure(media, 'media') && isSure(buttons, 'buttons')) {
      const isOwn = chain.length === 1;
      const predicate = isOwn ? PAYLOAD_MESSAGES.nothingToPublish : PAYLOAD_MESSAGES.nothingLeft;
      problems.add(422, chain.at(-1)!.path, 'nothing_to_publish', predicate);
    }
  }
};

/** Returns the layer that each field comes from. */
const findSources = (chain: readonly ContentLayer[]): Partial<Record<OverrideField, ContentLayer>> => {
  const sources: Partial<Record<OverrideField, ContentLayer>> = {};
  for (const layer of chain) {
    const isSet = (field: OverrideField): boolean => field in layer.fields || layer.broken.has(field);
    // Text comes with its own entities.
    if (isSet('text')) delete sources.entities;
    for (const field of OVERRIDE_FIELDS) if (isSet(field)) sources[field] = layer;
  }
  return sources;
};
