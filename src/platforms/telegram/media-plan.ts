import type { JsonObject } from '../../kernel/json.js';
import type { Media } from '../../payload/payload.js';
import { fittedWarnings } from '../fitted-photos.js';
import type { SendContext, Warning } from '../publisher.js';

/** What a medium arrives as; a document is a video or an audio of a format that Telegram does not play. */
export type TelegramKind = 'photo' | 'video' | 'audio' | 'document';

/** A medium on its way, and the name under which its file is attached: see {@link attachmentOf}. */
export interface Item {
  readonly kind: TelegramKind;
  readonly attachment: string;
}

/** One message's medium, or an album's two to ten. */
export interface Group {
  /** The step's name. */
  readonly name: string;
  readonly items: readonly Item[];
}

/** How a post's media are spread over messages. */
export interface MediaPlan {
  /** In the order of sending: photos and videos, audios, each document. */
  readonly groups: readonly Group[];
  /** Addresses of media that cannot go (D-22). */
  readonly links: readonly string[];
  /** Whether Telegram would not take a message that it was sent: what was sent before has no caption, nor has the rest. */
  readonly isBroken: boolean;
  readonly warnings: readonly Warning[];
}

/**
 * What the step that fetched the media found, by place: what each arrives as, and whether it had to be made to fit; or why
 * it goes as a link.
 */
export type FetchedMedium = { readonly kind: TelegramKind; readonly fitted?: true } | { readonly link: string };

/** Formats that arrive as documents, by the file's type and by the address's ending (networks.md §1, D-22). */
const DOCUMENT_MIME = /^(?:video\/(?!mp4$)|audio\/(?!mpeg$|mp4$))/;
const DOCUMENT_ENDING = /\.(?:mov|webm|ogg|oga|opus)$/i;

/** What a file arrives as. @param mime by its own bytes */
export const kindOfFile = (type: Media['type'], mime: string): TelegramKind =>
  type !== 'photo' && DOCUMENT_MIME.test(mime) ? 'document' : type;

/** How a request refers to the file of a medium. */
export const attachmentOf = (type: Media['type'], index: number): string => `attach://${type}-${index}`;

/** The medium that a reference names; null for anything else. */
export const mediumOf = (reference: string): { readonly type: Media['type']; readonly index: number } | null => {
  const [, type, index] = /^attach:\/\/(photo|video|audio)-(\d+)$/.exec(reference) ?? [];
  return type === undefined ? null : { type: type as Media['type'], index: Number(index) };
};

/**
 * Spreads media over messages (networks.md §1): photos and videos side by side, audios side by side, each document by
 * itself. As long as nobody has fetched them, the addresses' endings tell the formats.
 *
 * @param fetched the result of the step that fetched them, where it is done
 * @param results of the groups that were sent, by name: `refused`, why Telegram would not take one (D-22)
 */
export const planMedia = (
  media: readonly Media[],
  fetched: JsonObject | undefined,
  results: SendContext['results'],
): MediaPlan => {
  const found = (fetched?.['media'] ?? []) as unknown as readonly (FetchedMedium | null)[];
  const links: string[] = [];
  const warnings: Warning[] = [];
  const items: Item[] = [];
  for (const [index, { type, url }] of media.entries()) {
    const guess = found[index] ?? { kind: guessed(type, url) };
    const refused = 'kind' in guess ? results[groupOf(guess.kind, index)]?.['refused'] : undefined;
    const what = typeof refused === 'string' ? { link: refused } : guess;
    if ('link' in what) {
      links.push(url);
      const message = `Telegram cannot carry this ${type} (${what.link}): its address stands in the text.`;
      warnings.push({ code: 'media_as_link', message });
      continue;
    }
    warnings.push(...fittedWarnings({ ...what }, index));
    if (what.kind === 'document') {
      const message = `Telegram does not play this ${type}: it is sent as a file, in a message of its own.`;
      warnings.push({ code: 'media_as_document', message });
    }
    items.push({ kind: what.kind, attachment: attachmentOf(type, index) });
  }
  const those = (...kinds: readonly TelegramKind[]): Item[] => items.filter(({ kind }) => kinds.includes(kind));
  const groups = [
    { name: groupOf('photo', 0), items: those('photo', 'video') },
    { name: groupOf('audio', 0), items: those('audio') },
    ...those('document').map((item): Group => ({
      name: groupOf('document', mediumOf(item.attachment)?.index ?? 0),
      items: [item],
    })),
  ];
  const isBroken = Object.values(results).some((result) => 'refused' in result);
  return { groups: groups.filter((group) => group.items.length > 0), links, isBroken, warnings };
};

/** The name of the group that a medium goes in. @param index of the medium, from 0 */
const groupOf = (kind: TelegramKind, index: number): string => {
  if (kind === 'document') return `document-${index}`;
  return kind === 'audio' ? 'audio' : 'visual';
};

const guessed = (type: Media['type'], url: string): TelegramKind => {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  return type !== 'photo' && DOCUMENT_ENDING.test(path) ? 'document' : type;
};
