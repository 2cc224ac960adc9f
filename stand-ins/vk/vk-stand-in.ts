import { originOf, parseUploadPath, type TextParameters, textParametersOf } from '../kit/body.js';
import { changeGroup, InvalidControlRequest, readChoice, readPositive, readString } from '../kit/control.js';
import type {
  ControlFields,
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
  badParameter,
  getAppPermissions,
  getGroupById,
  getTokenPermissions,
  GROUP_STATES,
  Groups,
  type KnownGroup,
  TOKEN_KINDS,
  Tokens,
} from './access.js';
import { THEME } from './readers-view.js';
import { Uploads } from './uploads.js';
import { type WallContext, wallDelete, wallEdit, wallGet, wallGetById, wallPin, wallPost } from './wall-methods.js';

/**
 * VK's own controls:
 * - `POST /_control/tokens {token, kind?, wall?}`: see `TOKEN_KINDS`; `wall` false removes the right to post on walls
 * - `POST /_control/groups {group_id, title?, state?, error_code?, error_msg?, daily_limit?, ignore_guids?, may_edit?}`:
 *   sets the title, the state (see `GROUP_STATES`), the error for posting there (`error_code` null removes it), the daily
 *   limit (null, the default, means none; VK's own limit is 50), whether a repeated `guid` creates another post, and
 *   whether posts may still be edited
 */
const controlsOf = (tokens: Tokens, groups: Groups): Controls => ({
  'POST tokens': (body) => setToken(tokens, body),
  'POST groups': (body) => setGroup(groups, body),
});

const setToken = (tokens: Tokens, body: ControlFields): object => {
  const token = readString(body, 'token');
  const { wall } = body;
  if (typeof wall === 'boolean') tokens.setWallRight(token, wall);
  if (body['kind'] === undefined && typeof wall === 'boolean') return { wall };
  const kind = readChoice(body, 'kind', TOKEN_KINDS);
  tokens.set(token, kind);
  return { kind };
};

const setGroup = (groups: Groups, body: ControlFields): object => {
  const { group_id, daily_limit, ignore_guids, may_edit } = body;
  const id = typeof group_id === 'number' ? String(group_id) : group_id;
  if (typeof id !== 'string' || !/^[1-9]\d*$/.test(id))
    throw new InvalidControlRequest('group_id must be a number without a minus sign');
  const group = groups.getOrCreate(id);
  changeGroup(group, body, GROUP_STATES, (code, message = 'Access denied') => new ApiError(code, message));
  if (daily_limit !== undefined) group.dailyLimit = daily_limit === null ? null : readPositive(body, 'daily_limit');
  if (typeof ignore_guids === 'boolean') group.ignoresGuids = ignore_guids;
  if (typeof may_edit === 'boolean') group.mayEdit = may_edit;
  return { group_id: id, title: group.title, daily_limit: group.dailyLimit };
};

/** `/method/<name>`. */
const PATH = /^\/method\/([\w.]+)$/;

/** Supported API versions. */
const VERSION = /^5\.(?:8[1-9]|9\d|1\d\d)$/;

/** The kind of the caller's token, and whether it has the right to post on walls. */
interface Caller {
  readonly kind: 'user' | 'community';
  readonly hasWall: boolean;
}
type Method = (
  context: WallContext,
  parameters: TextParameters,
  call: StandInCall,
  caller: Caller,
) => object | number | Promise<object | number>;

const requireWall = ({ hasWall }: Caller): void => {
  if (!hasWall)
    throw new ApiError(15, 'Access denied: no access to call this method. It cannot be called with current scopes.');
};

/** Methods by name; `userOnly` methods reject community tokens with error 27 (networks.md §1). */
const METHODS: Readonly<Record<string, { readonly userOnly: boolean; readonly run: Method }>> = {
  'wall.post': {
    userOnly: false,
    run: (context, parameters, { id }, caller) => {
      requireWall(caller);
      return wallPost(context, parameters, id);
    },
  },
  'wall.delete': {
    userOnly: true,
    run: (context, parameters, { id }, caller) => {
      requireWall(caller);
      return wallDelete(context, parameters, id);
    },
  },
  'wall.edit': {
    userOnly: true,
    run: (context, parameters, { id }, caller) => {
      requireWall(caller);
      return wallEdit(context, parameters, id);
    },
  },
  'wall.pin': {
    userOnly: true,
    run: (context, parameters, { id }, caller) => {
      requireWall(caller);
      return wallPin(context, parameters, id);
    },
  },
  'wall.getById': { userOnly: true, run: wallGetById },
  'groups.getById': { userOnly: false, run: ({ groups }, parameters) => getGroupById(groups, parameters) },
  'groups.getTokenPermissions': {
    userOnly: false,
    run: (_context, _parameters, _call, { kind, hasWall }) => getTokenPermissions(kind, hasWall),
  },
  'account.getAppPermissions': {
    userOnly: true,
    run: (_context, _parameters, _call, { hasWall }) => getAppPermissions(hasWall),
  },
  'wall.get': { userOnly: true, run: wallGet },
  'photos.getWallUploadServer': {
    userOnly: true,
    run: ({ uploads }, parameters, call) => uploads.createPhotoUpload(groupIdOf(parameters), originOf(call)),
  },
  'photos.saveWallPhoto': {
    userOnly: true,
    run: ({ uploads }, parameters) => {
      const { server = '', photo = '', hash = '' } = parameters;
      return uploads.savePhoto(groupIdOf(parameters), server, photo, hash);
    },
  },
  'video.save': {
    userOnly: true,
    run: ({ uploads }, parameters, call) =>
      uploads.saveVideo(groupIdOf(parameters), parameters['name'] ?? '', originOf(call)),
  },
};

/** VK's API, which returns HTTP status 200 even for API errors. */
class VkNetwork implements StandInNetwork {
  readonly platform = 'vk';
  /** Room for the largest video and its multipart framing. */
  readonly maxBodyBytes = 2_056 * 1_048_576;
  readonly controls: Controls;
  private readonly tokens = new Tokens();

  constructor(private readonly context: WallContext) {
    this.controls = controlsOf(this.tokens, context.groups);
  }

  identify(call: StandInCall): { method: string; channel: string | null } {
    const upload = parseUploadPath(call.path);
    const { owner_id, posts, group_id } = textParametersOf(call);
    return {
      method: PATH.exec(call.path)?.[1] ?? (upload ? `upload.${upload.kind}` : 'unknown'),
      channel: (owner_id ?? posts?.split('_')[0])?.replace(/^-/, '') ?? group_id ?? null,
    };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    const upload = parseUploadPath(call.path);
    if (upload) return this.context.uploads.receiveFile(upload, call);
    const parameters = textParametersOf(call);
    try {
      const method = METHODS[PATH.exec(call.path)?.[1] ?? ''];
      const wrong = Object.entries(call.fields).find(([, value]) => typeof value !== 'string')?.[0];
      if (wrong !== undefined) throw badParameter(`${wrong} is not a form's text`);
      if (!method) throw new ApiError(3, 'Unknown method passed.');
      if (parameters['v'] === undefined) throw new ApiError(8, 'Invalid request: v (version) is required');
      if (!VERSION.test(parameters['v'])) throw new ApiError(8, 'Invalid request: versions below 5.81 are deprecated');
      const token = parameters['access_token'] ?? '';
      const kind = this.tokens.authenticate(token);
      if (method.userOnly && kind === 'community') {
        throw new ApiError(27, 'Group authorization failed: method is unavailable with group auth.');
      }
      const caller = { kind, hasWall: this.tokens.hasWallRight(token) };
      return { status: 200, body: { response: await method.run(this.context, parameters, call, caller) } };
    } catch (error) {
      if (error instanceof ApiError) return errorAnswer(error, parameters);
      throw error;
    }
  }

  createErrorAnswer(status: number, message: string): StandInAnswer {
    if (status === 413) return { status, body: '<html><body>413 Request Entity Too Large</body></html>' };
    return { ...errorAnswer(new ApiError(status === 400 ? 100 : 10, message || 'Internal server error')), status };
  }
}

const groupIdOf = ({ group_id = '' }: TextParameters): string => {
  if (!/^[1-9]\d{0,18}$/.test(group_id)) throw badParameter('group_id not positive');
  return group_id;
};

/** @param parameters of the call, which VK repeats except for the token */
const errorAnswer = (
  { errorCode, errorMsg }: ApiError,
  { access_token: _, ...parameters }: TextParameters = {},
): StandInAnswer => {
  const request_params = Object.entries(parameters).map(([key, value]) => ({ key, value }));
  return {
    status: 200,
    body: { error: { inner_type: 'base_error', error_code: errorCode, error_msg: errorMsg, request_params } },
  };
};

/** The demo's channel on VK. */
const DEMO_CHANNEL = {
  name: 'Harbour News',
  credentials: {
    access_token: 'vk1.a.community-DemoDemoDemoDemoDemoDemo',
    upload_token: 'vk1.a.user-DemoDemoDemoDemoDemoDemo',
    group_id: '220000001',
  },
} as const satisfies DemoChannel;

/** Options for the VK stand-in. */
export interface VkStandInOptions extends StandInOptions {
  /** Communities with names; every other community also exists, under its number. */
  readonly groups?: readonly KnownGroup[];
}

/**
 * Starts a server that behaves like `api.vk.ru` for posting on communities' walls (networks.md §1–§4, §8): `wall.post`,
 * `wall.get`, `wall.getById`, `wall.edit`, `wall.delete`, `wall.pin`, the upload steps for photos and videos, and the
 * methods that a channel test calls. Posts and uploads accepted before a stop or kill are restored; guids are not.
 */
export const startVkStandIn = async (options: VkStandInOptions): Promise<RunningStandIn> => {
  const demo = { id: DEMO_CHANNEL.credentials.group_id, title: DEMO_CHANNEL.name, name: 'harbour_news' };
  const groups = new Groups([demo, ...(options.groups ?? [])]);
  return serveNetwork(
    {
      platform: 'vk',
      title: 'VK',
      theme: THEME,
      onEntry: (entry) => groups.restore(entry),
      createNetwork: ({ ledger, changes, media, storedUploads, statistics }) =>
        new VkNetwork({ groups, uploads: new Uploads(storedUploads, media), ledger, changes, statistics }),
    },
    options,
  );
};

/** Describes the VK stand-in. */
export const vkStandIn: StandInDescriptor = {
  platform: 'vk',
  theme: THEME,
  demoChannel: DEMO_CHANNEL,
  troubles: {
    token: {
      status: 200,
      body: { error: { error_code: 5, error_msg: 'User authorization failed: invalid access_token (4).' } },
    },
    limits: { status: 200, body: { error: { error_code: 29, error_msg: 'Rate limit reached' } } },
    publishing: ['wall.post'],
  },
  start: startVkStandIn,
};
