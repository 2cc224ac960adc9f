import type { LedgerEntry, LedgerMedium } from '../kit/ledger-entry.js';

/** A call to a network as the sandbox previews it, with placeholders for files and results of earlier calls. */
export interface PreviewedCall {
  /** Name of the step that makes the call. */
  readonly step: string;
  readonly method: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/**
 * Shows what a network's readers would see after a set of calls. Browsers also load this code, so it must not use Node
 * modules.
 */
export interface ReadersView {
  readonly theme: WallTheme;
  /**
   * Returns the messages that readers see after the calls to one channel, oldest first; an album is one message.
   * @throws Error if the network would refuse a call
   */
  readonly readCalls: (calls: readonly PreviewedCall[]) => readonly VisibleMessage[];
  /** Returns the maximum number of UTF-16 units in a message's text; null if the channel's settings decide. */
  readonly textLimit: (message: VisibleMessage) => number | null;
}

/** Returns the URL in a placeholder for a file; null for any other value. */
export const readFilePlaceholder = (value: unknown): string | null =>
  typeof value === 'string' ? (/^<file of (.*)>$/s.exec(value)?.[1] ?? null) : null;

/** Returns the name of the step whose result a value refers to; null for any other value. */
export const readReference = (value: unknown): string | null => {
  const { $from: from } = (value ?? {}) as { readonly $from?: unknown };
  return typeof from === 'string' ? from.slice(0, from.lastIndexOf('.')) : null;
};

/** Finds the file that each step uploads. */
export const findUploads = (calls: readonly PreviewedCall[]): ReadonlyMap<string, string> =>
  new Map(
    calls.flatMap(({ step, request }) =>
      Object.values(request).flatMap((value) => {
        const url = readFilePlaceholder(value);
        return url === null ? [] : [[step, url] as const];
      }),
    ),
  );

/** Returns a medium given by its URL. */
export const mediumAt = (type: string, url: string): VisibleMedium => ({
  type,
  file: null,
  url,
  name: fileName(url),
  bytes: 0,
});

/** Returns a readable name for the file at a URL: the last part of the path, or else the host. */
export const fileName = (url: string): string => {
  if (!URL.canParse(url)) return url;
  const { pathname, hostname } = new URL(url);
  const name = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name) || hostname;
  } catch {
    return name; // not UTF-8
  }
};

/** An empty message. */
export const EMPTY_MESSAGE: VisibleMessage = {
  text: '',
  entities: [],
  buttons: [],
  media: [],
  reply_to: null,
  group_id: null,
};

/** One message as readers see it. */
export type VisibleMessage = Pick<LedgerEntry, 'text' | 'entities' | 'buttons' | 'reply_to' | 'group_id'> & {
  readonly media: readonly VisibleMedium[];
};

/** A medium as readers see it. */
export type VisibleMedium = Pick<LedgerMedium, 'type' | 'file' | 'url' | 'name' | 'bytes'>;

/** Joins the messages of each album into one message, with the text of the first message that has one. */
export const joinAlbums = <T extends VisibleMessage>(messages: readonly T[]): T[] => {
  const joined: T[] = [];
  for (const message of messages) {
    const album = joined.at(-1);
    if (album && message.group_id !== null && album.group_id === message.group_id) {
      const { text, entities } = album.text === '' ? message : album;
      joined[joined.length - 1] = { ...album, text, entities, media: [...album.media, ...message.media] };
    } else joined.push(message);
  }
  return joined;
};

/** Appearance of a network's wall; the default resembles a messenger channel. */
export interface WallTheme {
  /** `cards` looks like a community's feed; the default is `messages`. */
  readonly layout?: 'messages' | 'cards';
  /** Custom properties that replace defaults in `post.ts`, such as `--accent`; colours as `light-dark(…, …)`. */
  readonly properties?: Readonly<Record<`--${string}`, string>>;
}

/** Returns the style sheet of one network's theme. */
export const themeCss = (selector: string, { properties = {} }: WallTheme): string => {
  const declarations = Object.entries(properties).map(([name, value]) => `${name}: ${value};`);
  return declarations.length > 0 ? `${selector} { ${declarations.join(' ')} }\n` : '';
};
