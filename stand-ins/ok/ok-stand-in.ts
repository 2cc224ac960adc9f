import { originOf, parseUploadPath, type TextParameters, textParametersOf } from '../kit/body.js';
import { changeGroup, InvalidControlRequest, readChoice, readPositive, readString } from '../kit/control.js';
import type {
  Controls,
  DemoChannel,
  StandInAnswer,
  StandInCall,
  StandInDescriptor,
  StandInNetwork,
} from '../kit/network.js';
import { type RunningStandIn, serveNetwork, type StandInOptions } from '../kit/server.js';
import {
  ApiError,
  Applications,
  badParameter,
  getCurrentUser,
  getGroupInfo,
  getUrlInfo,
  getUserGroups,
  GROUP_STATES,
  Groups,
  hasAppPermission,
  type KnownGroup,
  TOKEN_STATES,
} from './access.js';
import { THEME } from './readers-view.js';
import { appendTopic, deleteTopic, getTopics, getTopicStatistics, postTopic, type TopicContext } from './topics.js';
import { Uploads, type VideoProcessing } from './uploads.js';

/**
 * OK's own controls:
 * - `POST /_control/applications {application_key, application_secret}`: makes the stand-in verify the application's
 *   signatures
 * - `POST /_control/tokens {token, state}`: see `TOKEN_STATES`
 * - `POST /_control/groups {group_id, title?, state?, error_code?, error_msg?}`: sets the title, the state (see
 *   `GROUP_STATES`) and the error for posting there (`error_code` null removes it)
 * - `POST /_control/videos {checks?, ready?}`: how many answers of `video.get` say `PROCESSING`; whether `video.update`
 *   fails because the video is ready
 * - `POST /_control/limits {text}`: sets the maximum text length in UTF-16 units (error 601)
 */
const controlsOf = (applications: Applications, { groups, uploads }: TopicContext): Controls => ({
  'POST applications': (body) => {
    applications.addApplication(readString(body, 'application_key'), readString(body, 'application_secret'));
    return {};
  },
  'POST tokens': (body) => {
    const state = readChoice(body, 'state', TOKEN_STATES);
    applications.setToken(readString(body, 'token'), state);
    return { state };
  },
  'POST groups': (body) => {
    const group = groups.getOrCreate(readString(body, 'group_id'));
    changeGroup(group, body, GROUP_STATES, (code, message = 'refused') => new ApiError(code, message));
    return { group_id: group.id, title: group.title };
  },
  'POST videos': ({ checks = 0, ready = false }) => {
    if (typeof checks !== 'number' || checks < 0) throw new InvalidControlRequest('checks must be at least 0');
    Object.assign(uploads.processing, { checks, isReadyAtOnce: ready === true } satisfies VideoProcessing);
    return { checks, ready: ready === true };
  },
  'POST limits': (body) => ({ text: (groups.textLimit = readPositive(body, 'text')) }),
});

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
  'url.getInfo': ({ groups }, parameters) => getUrlInfo(groups, parameters),
  'group.getUserGroupsByIds': ({ groups }, parameters) => getUserGroups(groups, parameters),
  'mediatopic.post': async (context, parameters, { id }) => JSON.stringify(await postTopic(context, parameters, id)),
  'mediatopic.deleteTopic': (context, parameters, { id }) => deleteTopic(context, parameters, id),
  'mediatopic.getByIds': getTopics,
  'group.getStatTopic': getTopicStatistics,
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
class OkNetwork implements StandInNetwork {
  readonly platform = 'ok';
  /** Room for the largest video and its multipart framing. */
  readonly maxBodyBytes = 2_056 * 1_048_576;

  readonly controls: Controls;

  constructor(
    private readonly context: TopicContext,
    private readonly applications: Applications,
  ) {
    this.controls = controlsOf(applications, context);
  }

  identify(call: StandInCall): { method: string; channel: string | null } {
    const upload = parseUploadPath(call.path);
    const { method = 'unknown', gid, group_id, uids } = textParametersOf(call);
    return { method: upload ? `upload.${upload.kind}` : method, channel: gid ?? group_id ?? uids ?? null };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    const upload = parseUploadPath(call.path);
    if (upload) return this.context.uploads.receiveFiles(upload, call);
    if (call.path !== '/fb.do') return { status: 404, body: '<html><body>404 Not Found</body></html>' };
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
  }

  createErrorAnswer(status: number, message: string): StandInAnswer {
    if (status === 413) return { status, body: '<html><body>413 Request Entity Too Large</body></html>' };
    const code = status === 400 ? 100 : 9_999;
    return { ...new ApiError(code, message || 'SYSTEM : Critical system error').answer, status };
  }
}

/** The demo's channel on OK. */
const DEMO_CHANNEL = {
  name: 'Harbour News',
  credentials: {
    application_key: 'DEMODEMODEMODEMO',
    application_secret: 'DEMODEMODEMODEMODEMODEMO',
    access_token: '-s-DemoDemoDemoDemoDemoDemoDemoDemo',
    group_id: '70000000000001',
  },
} as const satisfies DemoChannel;

/** Options for the OK stand-in. */
export interface OkStandInOptions extends StandInOptions {
  /** Groups with names; every other group also exists, under its number. */
  readonly groups?: readonly KnownGroup[];
}

/**
 * Starts a server that behaves like `api.ok.ru` for posting to groups (networks.md §1–§3, §8): `mediatopic.post`,
 * `mediatopic.deleteTopic` and `mediatopic.getByIds` with signed calls, uploads of photos and videos, and the methods that a channel test calls. It knows the secret of the
 * demo's application. Posts and uploads accepted before a stop or kill are restored.
 */
export const startOkStandIn = async (options: OkStandInOptions): Promise<RunningStandIn> => {
  const applications = new Applications();
  const { application_key, application_secret, group_id } = DEMO_CHANNEL.credentials;
  applications.addApplication(application_key, application_secret);
  const groups = new Groups([
    ...(options.groups ?? []),
    { id: group_id, title: DEMO_CHANNEL.name, name: 'harbour.news' },
  ]);
  return serveNetwork(
    {
      platform: 'ok',
      title: 'Odnoklassniki',
      theme: THEME,
      onEntry: (entry) => groups.restore(entry),
      createNetwork: ({ ledger, changes, media, storedUploads, statistics }) =>
        new OkNetwork(
          { groups, uploads: new Uploads(storedUploads, media), ledger, changes, statistics },
          applications,
        ),
    },
    options,
  );
};

/** Describes the OK stand-in. */
export const okStandIn: StandInDescriptor = {
  platform: 'ok',
  theme: THEME,
  demoChannel: DEMO_CHANNEL,
  troubles: {
    token: {
      status: 200,
      body: { error_code: 103, error_msg: 'PARAM_SESSION_KEY : Invalid session key', error_data: null },
    },
    limits: {
      status: 200,
      body: { error_code: 11, error_msg: 'LIMIT_REACHED : Action limit reached', error_data: null },
    },
    publishing: ['mediatopic.post'],
  },
  start: startOkStandIn,
};
