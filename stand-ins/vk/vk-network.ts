import { originOf, parseUploadPath, type TextParameters, textParametersOf } from '../kit/body.js';
import type { ControlFields, StandInAnswer, StandInCall, StandInNetwork } from '../kit/network.js';
import { ApiError, badParameter } from './api-error.js';
import { answerVkControl } from './controls.js';
import { getAppPermissions, getGroupById, getTokenPermissions } from './rights-methods.js';
import { Tokens } from './tokens.js';
import { type WallContext, wallGet, wallPost } from './wall-methods.js';

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
) => object | number | Promise<object>;

/** Methods by name; `userOnly` methods reject community tokens with error 27 (networks.md §1). */
const METHODS: Readonly<Record<string, { readonly userOnly: boolean; readonly run: Method }>> = {
  'wall.post': {
    userOnly: false,
    run: (context, parameters, { id }, { hasWall }) => {
      if (!hasWall)
        throw new ApiError(
          15,
          'Access denied: no access to call this method. It cannot be called with current scopes.',
        );
      return wallPost(context, parameters, id);
    },
  },
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
export class VkNetwork implements StandInNetwork {
  readonly platform = 'vk';
  /** Room for the largest video and its multipart framing. */
  readonly maxBodyBytes = 2_056 * 1_048_576;
  readonly tokens = new Tokens();

  constructor(private readonly context: WallContext) {}

  identify(call: StandInCall): { method: string; channel: string | null } {
    const upload = parseUploadPath(call.path);
    const { owner_id, group_id } = textParametersOf(call);
    return {
      method: PATH.exec(call.path)?.[1] ?? (upload ? `upload.${upload.kind}` : 'unknown'),
      channel: owner_id?.replace(/^-/, '') ?? group_id ?? null,
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

  handleControl(control: string, fields: ControlFields): StandInAnswer | null {
    return answerVkControl({ tokens: this.tokens, groups: this.context.groups }, control, fields);
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
