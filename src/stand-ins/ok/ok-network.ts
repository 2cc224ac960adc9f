import type { StandInAnswer, StandInCall, StandInNetwork } from '../kit/network.js';
import type { Applications } from './applications.js';
import { answerOkControl } from './controls.js';
import { Refusal, badParameter } from './refusal.js';
import { postTopic, publish, type Feed } from './topics.js';
import { Uploads } from './uploads.js';

type Parameters = Readonly<Record<string, string>>;
type Method = (feed: Feed, parameters: Parameters, call: StandInCall) => object | string | Promise<object | string>;

const METHODS: Readonly<Record<string, Method>> = {
  'mediatopic.post': async (feed, parameters, { id }) => JSON.stringify(await postTopic(feed, parameters, id)),
  'photosV2.getUploadUrl': ({ uploads }, { gid = '', count = '1' }, call) => {
    if (gid === '') throw badParameter('gid is required');
    return uploads.photoPlace(Number(count), originOf(call));
  },
  'video.getUploadUrl': ({ uploads }, { file_name = '', file_size, gid }, call) =>
    uploads.videoPlace(file_name, Number(file_size), gid ?? null, originOf(call)),
  'video.update': async (feed, { vid = '' }, { id }) => {
    const own = await feed.uploads.releaseVideo(vid);
    if (own) await publish(feed, own.gid, { text: '', media: [own.medium] }, id);
    return {};
  },
};

/** OK's API as a publisher meets it: one address, every answer is HTTP 200, errors too. */
export class OkNetwork implements StandInNetwork {
  readonly platform = 'ok';
  readonly title = 'Odnoklassniki';
  /** Room for the largest video and what surrounds it. */
  readonly maxBodyBytes = 2_056 * 1_048_576;

  constructor(
    private readonly feed: Feed,
    private readonly applications: Applications,
  ) {}

  identify(call: StandInCall): { method: string; channel: string | null } {
    const uploading = Uploads.kindOf(call.path);
    const { method = 'unknown', gid } = parametersOf(call);
    return { method: uploading ? `upload.${uploading}` : method, channel: gid ?? null };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    if (Uploads.kindOf(call.path)) return this.feed.uploads.take(call);
    if (call.path !== '/fb.do') return { status: 404, body: '<html><body>404 Not Found</body></html>' };
    try {
      const parameters = parametersOf(call);
      const method = METHODS[parameters['method'] ?? ''];
      if (!method) throw new Refusal(3, 'METHOD : Method does not exist');
      this.applications.admit(parameters);
      if (parameters['format']?.toLowerCase() !== 'json') throw badParameter('this stand-in answers format=json alone');
      const body = await method(this.feed, parameters, call);
      return { status: 200, body, headers: { 'content-type': 'application/json;charset=utf-8' } };
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  }

  failure(status: number, sentence: string): StandInAnswer {
    if (status === 413) return { status, body: '<html><body>413 Request Entity Too Large</body></html>' };
    const code = status === 400 ? 100 : 9_999;
    return { ...refused(new Refusal(code, sentence || 'SYSTEM : Critical system error')), status };
  }

  control(httpMethod: string, path: string, body: Readonly<Record<string, unknown>>): StandInAnswer | null {
    return answerOkControl({ applications: this.applications, groups: this.feed.groups }, httpMethod, path, body);
  }
}

/** From the query, a form or multipart, all to the same effect. */
const parametersOf = ({ query, fields }: StandInCall): Parameters =>
  Object.fromEntries(
    Object.entries({ ...Object.fromEntries(query), ...fields }).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    ),
  );

const originOf = ({ headers }: StandInCall): string => `http://${headers.host ?? '127.0.0.1'}`;

const refused = ({ errorCode, errorMsg }: Refusal): StandInAnswer => ({
  status: 200,
  body: { error_code: errorCode, error_msg: errorMsg, error_data: null },
});
