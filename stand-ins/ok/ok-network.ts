import { originOf, parseUploadPath, type TextParameters, textParametersOf } from '../kit/body.js';
import type { ControlFields, StandInAnswer, StandInCall, StandInNetwork } from '../kit/network.js';
import { ApiError, badParameter, errorAnswer } from './api-error.js';
import type { Applications } from './applications.js';
import { answerOkControl } from './controls.js';
import { getCurrentUser, getGroupInfo, getUserGroups, hasAppPermission } from './rights-methods.js';
import { appendTopic, postTopic, type TopicContext } from './topics.js';

type Method = (
  context: TopicContext,
  parameters: TextParameters,
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
  'video.getUploadUrl': ({ uploads }, { file_name = '', file_size, gid, post_form }, call) =>
    uploads.createVideoUpload(
      file_name,
      Number(file_size),
      post_form === 'true' ? null : (gid ?? null),
      originOf(call),
    ),
  'video.get': ({ uploads }, { vids = '' }) => uploads.describeVideos(vids),
  'video.update': async (context, { vid = '' }, { id }) => {
    const released = await context.uploads.releaseVideo(vid);
    if (released) await appendTopic(context, released.gid, { text: '', media: [released.medium] }, id);
    return '';
  },
};

/** OK's API: a single URL that returns HTTP status 200 even for API errors. */
export class OkNetwork implements StandInNetwork {
  readonly platform = 'ok';
  /** Room for the largest video and its multipart framing. */
  readonly maxBodyBytes = 2_056 * 1_048_576;

  constructor(
    private readonly context: TopicContext,
    private readonly applications: Applications,
  ) {}

  identify(call: StandInCall): { method: string; channel: string | null } {
    const upload = parseUploadPath(call.path);
    const { method = 'unknown', gid, group_id, uids } = textParametersOf(call);
    return { method: upload ? `upload.${upload.kind}` : method, channel: gid ?? group_id ?? uids ?? null };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    const upload = parseUploadPath(call.path);
    if (upload) return this.context.uploads.receiveFiles(upload, call);
    if (call.path !== '/fb.do') return { status: 404, body: '<html><body>404 Not Found</body></html>' };
    try {
      const parameters = textParametersOf(call);
      const wrong = Object.entries(call.fields).find(([, value]) => typeof value !== 'string')?.[0];
      if (wrong !== undefined) throw badParameter(`${wrong} is not a form's text`);
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

  handleControl(control: string, fields: ControlFields): StandInAnswer | null {
    return answerOkControl({ applications: this.applications, ...this.context }, control, fields);
  }
}
