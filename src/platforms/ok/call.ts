import type { Dispatcher } from 'undici';
import { type Exchange, exchange } from '../exchange.js';
import type { SendContext, StepOutcome } from '../publisher.js';
import { classifyUnanswered } from '../unanswered-call.js';
import { classify } from './classify.js';
import { OK_MESSAGES } from './messages.js';
import { signCall } from './sign.js';
import { TITLE } from './title.js';

/** Connection to OK. */
export interface OkConnection {
  /** Base URL before `/fb.do`, without a trailing slash. */
  readonly apiUrl: string;
  readonly connections: Dispatcher;
  /** Time limit for one call, including the response, in ms. */
  readonly timeoutMs: number;
  /** Time limit for one upload, including the response, in ms. */
  readonly uploadTimeoutMs: number;
}

/** One method call. */
export interface OkCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** True if readers would see its effect. */
  readonly visible: boolean;
}

/** Result of a method call: its value, or the outcome of the step if it failed. `last` is the HTTP exchange. */
export type OkResponse =
  | { readonly ok: true; readonly value: unknown; readonly last: Exchange }
  | { readonly ok: false; readonly outcome: StepOutcome };

/** Makes a signed method call; never throws. OK always responds with HTTP 200, so `error_code` decides. */
export const callOk = async (
  { apiUrl, connections, timeoutMs }: OkConnection,
  { method, parameters, visible }: OkCall,
  { credentials, waits, signal }: Pick<SendContext, 'credentials' | 'waits' | 'signal'>,
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
    { timeoutMs, signal },
  );
  const value = last.kind === 'answered' ? parseJson(last.body) : undefined;
  const errorCode = readErrorCode(value);
  if (errorCode !== null) {
    const { error_msg: words } = value as { readonly error_msg?: unknown };
    const refusal = { errorCode, errorMsg: typeof words === 'string' ? words : '' };
    return { ok: false, outcome: classify(refusal, { visible, waits, credentials }) };
  }
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

/** Parses any JSON; returns undefined for anything else. */
export const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
};

/** Returns the code of an error response; null for any other response. */
export const readErrorCode = (value: unknown): number | null => {
  if (typeof value !== 'object' || value === null || !('error_code' in value)) return null;
  return Number.isInteger(Number(value.error_code)) ? Number(value.error_code) : null;
};

const missing: StepOutcome = {
  kind: 'needs_attention',
  error: {
    code: 'credentials_missing',
    category: 'credentials',
    source: 'gateway',
    message: OK_MESSAGES.credentialsMissing,
  },
};
