import type { StandInAnswer, StandInCall, StandInNetwork } from '../kit/network.js';
import { ApiError, badParameter } from './api-error.js';
import type { Applications } from './applications.js';
import { answerOkControl } from './controls.js';
import { getCurrentUser, getGroupInfo, getUserGroups, hasAppPermission } from './rights-methods.js';
import { appendTopic, postTopic, type TopicContext } from './topics.js';
import { Uploads } from './uploads.js';

type Parameters = Readonly<Record<string, string>>;
type Method = (
  context: TopicContext,
  parameters: Parameters,
  call: StandInCall,
  hasRights: boolean,
) => object | string | Promise<object | string>;

/** Methods that do not require the right to publish content. */
const ABOUT_CALLER: ReadonlySet<string> = new Set(['users.getCurrentUser', 'users.hasAppPermission']);

const METHODS: Readonly<Record<string, Method>> = {
  'users.getCurrentUser': getCurrentUser,
  'users.hasAppPermission': (_context, parameters, _call, hasRights) =>
    JSON.stringify(hasAppPermission(parameters, hasRights)),
  'group.getInfo': ({ groups }, parameters) => getGroupInfo(groups, parameters),
  'group.getUserGroupsByIds': ({ groups }, parameters) => getUserGroups(groups, parameters),
  'mediatopic.post': async (context, parameters, { id }) => JSON.stringify(await postTopic(context, parameters, id)),
  'photosV2.getUploadUrl': ({ uploads }, { gid = '', count = '1' }, call) => {
    if (gid === '') throw badParameter('gid is required');
    return uploads.createPhotoUpload(Number(count), originOf(call));
  },
  'video.getUploadUrl': ({ uploads }, { file_name = '', file_size, gid }, call) =>
    uploads.createVideoUpload(file_name, Number(file_size), gid ?? null, originOf(call)),
  'video.update': async (context, { vid = '' }, { id }) => {
    const released = await context.uploads.releaseVideo(vid);
    if (released) await appendTopic(context, released.gid, { text: '', media: [released.medium] }, id);
    return {};
  },
};

/** OK's API: a single address, where even API errors have HTTP status 200. */
export class OkNetwork implements StandInNetwork {
  readonly platform = 'ok';
  readonly title = 'Odnoklassniki';
  /** Room for the largest video and its multipart framing. */
  readonly maxBodyBytes = 2_056 * 1_048_576;

  constructor(
    private readonly context: TopicContext,
    private readonly applications: Applications,
  ) {}

  identify(call: StandInCall): { method: string; channel: string | null } {
    const uploading = Uploads.uploadKindOf(call.path);
    const { method = 'unknown', gid, group_id, uids } = parametersOf(call);
    return { method: uploading ? `upload.${uploading}` : method, channel: gid ?? group_id ?? uids ?? null };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    if (Uploads.uploadKindOf(call.path)) return this.context.uploads.receiveFiles(call);
    if (call.path !== '/fb.do') return { status: 404, body: '<html><body>404 Not Found</body></html>' };
    try {
      const parameters = parametersOf(call);
      const name = parameters['method'] ?? '';
      const method = METHODS[name];
      if (!method) throw new ApiError(3, 'METHOD : Method does not exist');
      this.applications.authenticate(parameters);
      const hasRights = this.applications.hasRights(parameters);
      if (!hasRights && !ABOUT_CALLER.has(name))
        throw new ApiError(10, 'PERMISSION_DENIED : User must grant an access to permission');
      if (parameters['format']?.toLowerCase() !== 'json') throw badParameter('this stand-in supports only format=json');
      const body = await method(this.context, parameters, call, hasRights);
      return { status: 200, body, headers: { 'content-type': 'application/json;charset=utf-8' } };
    } catch (error) {
      if (error instanceof ApiError) return errorAnswer(error);
      throw error;
    }
  }

  createErrorAnswer(status: number, message: string): StandInAnswer {
    if (status === 413) return { status, body: '<html><body>413 Request Entity Too Large</body></html>' };
    const code = status === 400 ? 100 : 9_999;
    return { ...errorAnswer(new ApiError(code, message || 'SYSTEM : Critical system error')), status };
  }

  handleControl(httpMethod: string, path: string, body: Readonly<Record<string, unknown>>): StandInAnswer | null {
    return answerOkControl({ applications: this.applications, groups: this.context.groups }, httpMethod, path, body);
  }
}

/** Returns the parameters from query, form or multipart, which are equivalent. */
const parametersOf = ({ query, fields }: StandInCall): Parameters =>
  Object.fromEntries(
    Object.entries({ ...Object.fromEntries(query), ...fields }).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    ),
  );

const originOf = ({ headers }: StandInCall): string => `http://${headers.host ?? '127.0.0.1'}`;

const errorAnswer = ({ errorCode, errorMsg }: ApiError): StandInAnswer => ({
  status: 200,
  body: { error_code: errorCode, error_msg: errorMsg, error_data: null },
});
