import { useQuery } from '@tanstack/react-query';
import { GatewayError } from '../../../clients/typescript/src/index.js';
import { defineMessages, getLocale } from '../i18n/messages.js';
import { expireSession } from '../session/session.js';
import { CONSOLE_HEADER } from './early-calls.js';
import { type Api, management, queryClient } from './management.js';

/** An uploaded file. */
export type UploadedFile = Pick<Api<'MediaDetails'>, 'id' | 'type' | 'filename' | 'bytes' | 'url'>;

interface UploadOptions {
  /** Gets the part that has been sent, from 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Uploads a file for an owner. Sending it again is harmless: the same content has the same id.
 * @throws GatewayError, with the status 0 if there was no answer
 */
export const uploadFile = async (
  ownerId: string,
  file: File,
  { onProgress, signal }: UploadOptions,
): Promise<UploadedFile> => {
  const body = new FormData();
  body.append('file', file, file.name);
  const { status, text, retryAfter } = await sendForm(`/manage/v1/media?owner_id=${ownerId}`, body, onProgress, signal);
  if (status === 401) expireSession();
  const answer = parse(text);
  if (status >= 300 || !('id' in answer)) {
    const { code = `http_${status}`, errors = [], details = [] } = answer as Partial<Api<'ErrorBody'>>;
    throw new GatewayError({ status, code, errors, details, retryAfter, route: 'POST /manage/v1/media' });
  }
  const uploaded = answer as UploadedFile;
  queryClient.setQueryData(['media', uploaded.id], uploaded);
  return uploaded;
};

/** Sends a form with XMLHttpRequest, because fetch does not tell how much has been sent. */
const sendForm = (
  url: string,
  body: FormData,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string; readonly retryAfter: number | null }> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = () => reject(new GatewayError({ status: 0, code: 'no_answer', errors: [], route: `POST ${url}` }));
    request.open('POST', url);
    for (const [name, value] of Object.entries(CONSOLE_HEADER)) request.setRequestHeader(name, value);
    request.setRequestHeader('accept-language', getLocale());
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const retryAfter = Number(request.getResponseHeader('retry-after'));
      resolve({ status: request.status, text: request.responseText, retryAfter: retryAfter || null });
    };
    request.onerror = fail;
    request.onabort = fail;
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });

const parse = (text: string): object => {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {}; // not JSON, so not the gateway's answer
  }
};

const m = defineMessages({ en: { nameless: 'Uploaded file' }, ru: { nameless: 'Загруженный файл' } });

/** Returns an upload that the console has seen. */
export const uploadedFile = (id: string): UploadedFile | undefined =>
  queryClient.getQueryData<UploadedFile>(['media', id]);

/** Returns what the gateway knows about a post's uploads, by id. */
export const useUploadedFiles = (
  media: readonly ({ readonly id?: string | undefined } | { readonly url: string })[],
): ReadonlyMap<string, UploadedFile> => {
  const ids = media.flatMap((medium) => ('id' in medium ? (medium.id ?? []) : []));
  const query = useQuery({
    queryKey: ['media', 'of a post', ids],
    queryFn: () => Promise.all(ids.map(findFile)),
    enabled: ids.length > 0,
  });
  const known = ids.map((id) => uploadedFile(id));
  return new Map([...known, ...(query.data ?? [])].flatMap((file) => (file ? [[file.id, file] as const] : [])));
};

const findFile = async (id: string): Promise<UploadedFile | null> => {
  const known = uploadedFile(id);
  if (known) return known;
  try {
    const file = await management().get('/media/{id}', { path: { id } });
    queryClient.setQueryData(['media', id], file);
    return file;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return null;
    throw error;
  }
};

/** Returns the name of an upload. */
export const nameOfUpload = (id: string): string => uploadedFile(id)?.filename ?? m.nameless;

/** Returns the address of a file on this origin, whatever address the gateway has for others. */
export const ownAddress = (url: string): string => new URL(url, location.origin).pathname;
