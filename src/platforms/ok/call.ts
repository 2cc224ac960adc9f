import { createHash } from 'node:crypto';
import type { NetworkConnection } from '../channel-check.js';
import { type Exchange, exchange, parseJson } from '../exchange.js';
import { classifyUnanswered, ErrorTable, type RefusedCall, unusableCredentials } from '../outcomes.js';
import type { SendContext, StepOutcome } from '../publisher.js';
import { OK_ERRORS } from './errors.js';
import { TITLE } from './limits.js';
import { OK_MESSAGES } from './messages.js';

const errors = new ErrorTable('ok', TITLE, OK_ERRORS);

/** OK's `{"error_code": …}`, sent with HTTP 200. */
export interface OkRefusal {
  readonly errorCode: number;
  readonly errorMsg: string;
}

/** Returns the outcome of a refusal (network-errors.md, D-20, D-25, D-26). */
export const classify = (
  { errorCode, errorMsg }: OkRefusal,
  call: RefusedCall,
  table: ErrorTable = errors,
): StepOutcome => table.classify({ codes: [errorCode], words: errorMsg }, call);

/**
 * Returns a call's `sig` in lower-case hex (networks.md §1): the MD5 hash of all parameters except the token, sorted
 * and joined, followed by a key derived from the token and the application secret.
 */
export const signCall = (
  parameters: Readonly<Record<string, string>>,
  { accessToken, applicationSecret }: { readonly accessToken: string; readonly applicationSecret: string },
): string => {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return md5(sorted.map(([name, value]) => `${name}=${value}`).join('') + md5(accessToken + applicationSecret));
};

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

interface OkCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** True if readers would see its effect. */
  readonly visible: boolean;
  /** True if an empty body means success. */
  readonly mayBeEmpty?: boolean;
  /** What refusals of this call mean; default: what they mean for posts. */
  readonly errors?: ErrorTable;
}

/** Result of a method call: its value, or the outcome of the step if it failed. `last` is the HTTP exchange. */
type OkResponse =
  | { readonly ok: true; readonly value: unknown; readonly last: Exchange }
  | { readonly ok: false; readonly outcome: StepOutcome };

/** Makes a signed method call; never throws. OK always responds with HTTP 200, so `error_code` decides. */
export const callOk = async (
  { apiUrl, connections, timeoutMs, countUnknown }: NetworkConnection,
  { method, parameters, visible, mayBeEmpty = false, errors: table = errors }: OkCall,
  { credentials, waits, signal, holdsLease }: Pick<SendContext, 'credentials' | 'waits' | 'signal' | 'holdsLease'>,
): Promise<OkResponse> => {
  const { application_key = '', application_secret = '', access_token = '' } = credentials;
  if (application_key === '' || application_secret === '' || access_token === '') {
    return { ok: false, outcome: missing };
  }
  const signed = { ...parameters, application_key, method, format: 'json' };
  const sig = signCall(signed, { accessToken: access_token, applicationSecret: application_secret });
  const last = await exchange(
    connections,
    {
      method: 'POST',
      url: `${apiUrl}/fb.do`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...signed, access_token, sig }).toString(),
    },
    { timeoutMs, signal, holdsLease },
  );
  const isEmpty = mayBeEmpty && last.kind === 'answered' && last.status === 200 && last.body.length === 0;
  if (isEmpty) return { ok: true, value: null, last };
  const value = last.kind === 'answered' ? parseJson(last.body) : undefined;
  const refusal = readRefusal(value);
  if (refusal) return { ok: false, outcome: classify(refusal, { visible, waits, credentials, countUnknown }, table) };
  if (value === undefined || value === null || (last.kind === 'answered' && last.status !== 200)) {
    return { ok: false, outcome: classifyUnreadable(last, visible, credentials) };
  }
  return { ok: true, value, last };
};

/** Returns the outcome of an unreadable or missing response (D-25). */
export const classifyUnreadable = (
  last: Exchange,
  visible: boolean,
  credentials: SendContext['credentials'],
): StepOutcome => classifyUnanswered(last, { title: TITLE, platform: 'ok', visible, credentials });

/** Reads an error response; returns null for any other response. */
export const readRefusal = (value: unknown): OkRefusal | null => {
  if (typeof value !== 'object' || value === null || !('error_code' in value)) return null;
  const { error_code, error_msg } = value as { readonly error_code: unknown; readonly error_msg?: unknown };
  const errorCode = Number(error_code);
  return Number.isInteger(errorCode) ? { errorCode, errorMsg: typeof error_msg === 'string' ? error_msg : '' } : null;
};

const missing = unusableCredentials('credentials_missing', OK_MESSAGES.credentialsMissing);
