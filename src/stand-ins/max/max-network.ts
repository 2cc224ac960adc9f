import type { StandInAnswer, StandInCall, StandInNetwork } from '../kit/network.js';
import { answerMaxControl } from './controls.js';
import { listMessages, postMessage, type Posting } from './posting.js';
import { Refusal, badPayload } from './refusal.js';

/** Where files go: `/upload/<id>`, without a token. */
const UPLOAD = /^\/upload\/([0-9a-f]{24})$/;

const MB = 1_048_576;

/** MAX's Bot API as a publisher meets it, errors and all. */
export class MaxNetwork implements StandInNetwork {
  readonly platform = 'max';
  readonly title = 'MAX';
  /** Room for the largest upload and what surrounds it; a little more, so that what is too large is told so. */
  readonly maxBodyBytes = 264 * MB;
  readonly revokedTokens = new Set<string>();

  constructor(readonly posting: Posting) {}

  identify({ httpMethod, path, query }: StandInCall): { method: string; channel: string | null } {
    return { method: UPLOAD.test(path) ? 'upload' : `${httpMethod} ${path}`, channel: query.get('chat_id') };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    try {
      return { status: 200, ...(await this.answer(call)) };
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  }

  failure(status: number, sentence: string): StandInAnswer {
    if (status === 400) return refused(badPayload(sentence));
    return refused(new Refusal(status, CODES[status] ?? 'error', sentence || (CODES[status] ?? 'error')));
  }

  control(httpMethod: string, path: string, body: Readonly<Record<string, unknown>>): StandInAnswer | null {
    return answerMaxControl(this, httpMethod, path, body);
  }

  private async answer(call: StandInCall): Promise<{ body: object | string; headers?: Record<string, string> }> {
    const { httpMethod, path, query, files, headers } = call;
    const { posting } = this;
    const uploadId = UPLOAD.exec(path)?.[1];
    if (uploadId !== undefined) {
      const body = await posting.uploads.take(uploadId, files.get('data'));
      return typeof body === 'string' ? { body, headers: { 'content-type': 'text/xml' } } : { body };
    }
    const token = this.authenticated(call);
    posting.limits.take('bot_per_second', token, Date.now());
    switch (`${httpMethod} ${path}`) {
      case 'GET /me':
        return { body: { user_id: 1, name: 'Stand-in bot', username: 'stand_in_bot', is_bot: true } };
      case 'POST /messages':
        return { body: await postMessage(posting, call) };
      case 'GET /messages':
        return { body: listMessages(posting, call) };
      case 'POST /uploads': {
        const { id, ...early } = posting.uploads.open(query.get('type'));
        return { body: { url: `http://${headers.host}/upload/${id}`, ...early } };
      }
      default:
        throw new Refusal(404, 'not.found', `${httpMethod} ${path} is not known`);
    }
  }

  /** The token, from its header alone: without `Bearer`, and no longer from the address (networks.md §1). */
  private authenticated({ headers, query }: StandInCall): string {
    const token = headers.authorization ?? '';
    if (query.has('access_token') || !/^[\x21-\x7e]+$/.test(token) || this.revokedTokens.has(token)) {
      throw new Refusal(401, 'verify.token', 'Invalid access_token');
    }
    return token;
  }
}

const CODES: Readonly<Record<number, string>> = {
  401: 'verify.token',
  403: 'chat.denied',
  404: 'chat.not.found',
  413: 'too.large',
  429: 'too.many.requests',
  500: 'internal',
  503: 'service.unavailable',
};

const refused = ({ status, code, message, headers }: Refusal): StandInAnswer => ({
  status,
  body: { code, message },
  headers,
});
