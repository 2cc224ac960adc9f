import { jsonIn, readBody } from './recorder.js';
import type { RelayedAnswer, RelayedCall } from './relay.js';

/** A call and its answer, by the network's own names. */
export interface Observed {
  /** `sendPhoto`, `wall.post`, `POST /messages`; `upload photo` for a file in the field `photo`. */
  readonly method: string;
  /** Names of the parameters, without files. */
  readonly parameters: readonly string[];
  readonly status: number;
  /** The JSON, or the text if it is none. */
  readonly body: unknown;
  /** True if the network refused the call. */
  readonly isRefusal: boolean;
}

/** Reads a call and its answer. */
export const observe = async (network: string, call: RelayedCall, answer: RelayedAnswer): Promise<Observed> => {
  const { fields, files } = await readBody(call);
  const query = new URLSearchParams(call.path.split('?')[1] ?? '');
  const body = readAnswer(answer);
  const members = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  return {
    method: methodOf(network, call, fields, Object.keys((files as { files?: object }).files ?? {})),
    parameters: [...query.keys(), ...Object.keys(fields)],
    status: answer.status,
    body,
    isRefusal: answer.status >= 400 || 'error_code' in members || 'error' in members,
  };
};

/** Returns the JSON of an answer, or its text. */
export const readAnswer = ({ body }: Pick<RelayedAnswer, 'body'>): unknown => {
  const text = body.toString();
  const value = jsonIn(text);
  return value === undefined ? text : value;
};

const methodOf = (
  network: string,
  { method, path }: RelayedCall,
  fields: Readonly<Record<string, unknown>>,
  files: readonly string[],
): string => {
  const [bare = ''] = path.split('?');
  if (network === 'telegram') return bare.slice(bare.lastIndexOf('/') + 1);
  if (files.length > 0) return `upload ${files.join(' ')}`;
  if (network === 'vk') return bare.slice(bare.lastIndexOf('/') + 1);
  if (network === 'ok') return String(fields['method']);
  return `${method} ${bare.replace(/^\/chats\/[^/]+/, '/chats/{chatId}').replace(/^\/messages\/.+/, '/messages/{messageId}')}`;
};
