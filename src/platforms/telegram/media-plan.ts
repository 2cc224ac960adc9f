import type { JsonObject } from '../../kernel/ids.js';
import type { LocatedMedium, Media } from '../../payload/payload.js';
import { sourceOf } from '../../payload/uploads.js';
import { fittedWarnings, linkedMediaWarnings } from '../media.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import type { SendContext, Step, VideoFacts, Warning } from '../publisher.js';
import { TITLE } from './limits.js';

/** Media type on Telegram; a document is a video or audio file in a format that Telegram does not play. */
export type TelegramKind = Media['type'] | 'document';

export interface PlannedItem {
  readonly kind: TelegramKind;
  /** The reference to the attached file: see {@link attachmentName}. */
  readonly attachment: string;
  /** Size and length of a video, if known. */
  readonly video?: VideoFacts | undefined;
  /** The reference to its attached cover picture, if it has one. */
  readonly thumbnail?: string | undefined;
}

/** The media of one message: a single medium, or an album of two to ten. */
export interface PlannedGroup {
  /** Name of the step. */
  readonly name: string;
  readonly items: readonly PlannedItem[];
}

/** How a post's media are distributed across messages. */
export interface MediaPlan {
  /** In sending order: photos and videos, then audio files, then each document. */
  readonly groups: readonly PlannedGroup[];
  /** URLs of media that cannot be sent (D-22). */
  readonly links: readonly string[];
  /** True if Telegram refused a message: earlier messages have no caption, so the text follows in its own message. */
  readonly sendsTextSeparately: boolean;
  readonly warnings: readonly Warning[];
}

/** Result of downloading one medium: its kind, or why it becomes a link. */
export type FetchedMedium =
  | { readonly kind: TelegramKind; readonly fitted?: true; readonly video?: VideoFacts; readonly cover?: true }
  | { readonly link: string };

/** Formats that are sent as documents, by the file's MIME type and by the URL's extension (networks.md §1, D-22). */
const DOCUMENT_MIME = /^(?:video\/(?!mp4$)|audio\/(?!mpeg$|mp4$))/;
const DOCUMENT_ENDING = /\.(?:mov|webm|ogg|oga|opus)$/i;

/** Returns the kind of a file. @param mime detected from its bytes */
export const kindOfFile = (type: Media['type'], mime: string): TelegramKind =>
  type !== 'photo' && DOCUMENT_MIME.test(mime) ? 'document' : type;

/** Returns the reference that a request uses for a medium's file. */
const attachmentName = (type: Media['type'], index: number): string => `attach://${type}-${index}`;

/** Returns the name of the part with the cover picture of a medium. */
export const coverName = (index: number): string => `cover-${index}`;

/** Parses a reference to a medium's file; returns null for anything else. */
export const parseAttachment = (reference: string): { readonly type: Media['type']; readonly index: number } | null => {
  const [, type, index] = /^attach:\/\/(photo|video|audio)-(\d+)$/.exec(reference) ?? [];
  return type === undefined ? null : { type: type as Media['type'], index: Number(index) };
};

/**
 * Distributes media across messages (networks.md §1): photos and videos together, audio files together, each document
 * in a separate message. Until the media are downloaded, the formats are taken from the URL extensions.
 *
 * @param fetched result of the download step, if it is done
 * @param results results of the groups sent so far; `refused` is why Telegram refused a group (D-22)
 */
export const planMedia = (
  media: readonly LocatedMedium[],
  fetched: JsonObject | undefined,
  results: SendContext['results'],
): MediaPlan => {
  const found = (fetched?.['media'] ?? []) as unknown as readonly (FetchedMedium | null)[];
  const links: string[] = [];
  const warnings: Warning[] = [];
  const items: PlannedItem[] = [];
  for (const [index, medium] of media.entries()) {
    const { type, url } = medium;
    const guess: FetchedMedium = found[index] ?? { kind: guessed(type, url) };
    const refused = 'kind' in guess ? results[groupOf(guess.kind, index)]?.['refused'] : undefined;
    const what = typeof refused === 'string' ? { link: refused } : guess;
    if ('link' in what) {
      links.push(url);
      warnings.push(...linkedMediaWarnings('media_as_link', index, medium, what.link));
      continue;
    }
    warnings.push(...fittedWarnings(what.fitted && { fitted: true }, index));
    if (what.kind === 'document') {
      const message = MESSAGES.mediaAsDocument({ network: TITLE, index });
      warnings.push({ code: 'media_as_document', message });
    }
    const thumbnail = what.cover && `attach://${coverName(index)}`;
    items.push({ kind: what.kind, attachment: attachmentName(type, index), video: what.video, thumbnail });
  }
  const those = (...kinds: readonly TelegramKind[]): PlannedItem[] => items.filter(({ kind }) => kinds.includes(kind));
  const groups = [
    { name: groupOf('photo', 0), items: those('photo', 'video') },
    { name: groupOf('audio', 0), items: those('audio') },
    ...those('document').map((item): PlannedGroup => ({
      name: groupOf('document', parseAttachment(item.attachment)?.index ?? 0),
      items: [item],
    })),
  ];
  return {
    groups: groups.filter((group) => group.items.length > 0),
    links,
    sendsTextSeparately: Object.values(results).some((result) => 'refused' in result),
    warnings,
  };
};

/** Returns the name of a medium's group. @param index index of the medium, from 0 */
const groupOf = (kind: TelegramKind, index: number): string => {
  if (kind === 'document') return `document-${index}`;
  return kind === 'audio' ? 'audio' : 'visual';
};

const guessed = (type: Media['type'], url: string): TelegramKind => {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  return type !== 'photo' && DOCUMENT_ENDING.test(path) ? 'document' : type;
};

/** Name of the step that downloads a post's media. Its result determines the other steps. */
export const FETCH = 'media';

/**
 * Returns the step that downloads all media.
 * @param kept what is known about media that need no download, by index; null for the others
 */
export const fetchStep = (media: readonly LocatedMedium[], kept?: readonly (FetchedMedium | null)[]): Step => ({
  name: FETCH,
  visible: false,
  method: '(download)',
  request: {
    types: media.map(({ type }) => type),
    urls: media.map(sourceOf),
    ...(kept && { kept }),
  },
});
