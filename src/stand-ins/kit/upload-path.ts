import { randomBytes } from 'node:crypto';

/** Path of an upload address at a stand-in: `/upload/photo/<ticket>` or `/upload/video/<ticket>`. */
export interface UploadPath {
  readonly kind: 'photo' | 'video';
  readonly ticket: string;
}

/** Parses the path of an upload address. Returns null for any other path. */
export const parseUploadPath = (path: string): UploadPath | null => {
  const [, kind, ticket] = /^\/upload\/(photo|video)\/([0-9a-f]{32})$/.exec(path) ?? [];
  return kind === undefined || ticket === undefined ? null : { kind: kind as UploadPath['kind'], ticket };
};

/** Creates the random part of an upload address. */
export const newTicket = (): string => randomBytes(16).toString('hex');
