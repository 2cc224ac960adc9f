import type { StandInAnswer, StandInCall, StandInNetwork } from '../kit/network.js';
import { answerVkControl } from './controls.js';
import { Refusal, badParameter } from './refusal.js';
import { Tokens } from './tokens.js';
import { Uploads } from './uploads.js';
import { wallGet, wallPost, type Walls } from './wall-methods.js';

/** `/method/<name>`. */
const PATH = /^\/method\/([\w.]+)$/;

/** Versions of the API that are served. */
const VERSION = /^5\.(?:8[1-9]|9\d|1\d\d)$/;

type Parameters = Readonly<Record<string, string>>;
type Method = (walls: Walls, parameters: Parameters, call: StandInCall) => object | Promise<object>;

/** By name; `userOnly` refuses a community's token with 27 (networks.md §1). */
const METHODS: Readonly<Record<string, { readonly userOnly: boolean; readonly run: Method }>> = {
  'wall.post': { userOnly: false, run: (walls, parameters, { id }) => wallPost(walls, parameters, id) },
  'wall.get': { userOnly: true, run: wallGet },
  'photos.getWallUploadServer': {
    userOnly: true,
    run: ({ uploads }, parameters, call) => uploads.photoServer(groupIdOf(parameters), originOf(call)),
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

/** VK's API as a publisher meets it: every answer is HTTP 200, errors too. */
export class VkNetwork implements StandInNetwork {
  readonly platform = 'vk';
  readonly title = 'VK';
  /** Room for the largest video and what surrounds it. */
  readonly maxBodyBytes = 2_056 * 1_048_576;
  readonly tokens = new Tokens();

  constructor(private readonly walls: Walls) {}

  identify(call: StandInCall): { method: string; channel: string | null } {
    const uploading = Uploads.kindOf(call.path);
    const { owner_id, group_id } = parametersOf(call);
    return {
      method: PATH.exec(call.path)?.[1] ?? (uploading ? `upload.${uploading}` : 'unknown'),
      channel: owner_id?.replace(/^-/, '') ?? group_id ?? null,
    };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    if (Uploads.kindOf(call.path)) return this.walls.uploads.take(call);
    try {
      const parameters = parametersOf(call);
      const method = METHODS[PATH.exec(call.path)?.[1] ?? ''];
      if (!method) throw new Refusal(3, 'Unknown method passed.');
      if (parameters['v'] === undefined) throw new Refusal(8, 'Invalid request: v (version) is required');
      if (!VERSION.test(parameters['v'])) throw new Refusal(8, 'Invalid request: versions below 5.81 are deprecated');
      const kind = this.tokens.identify(parameters['access_token'] ?? '');
      if (method.userOnly && kind === 'community') {
        throw new Refusal(27, 'Group authorization failed: method is unavailable with group auth.');
      }
      return { status: 200, body: { response: await method.run(this.walls, parameters, call) } };
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  }

  failure(status: number, sentence: string): StandInAnswer {
    if (status === 413) return { status, body: '<html><body>413 Request Entity Too Large</body></html>' };
    return { ...refused(new Refusal(status === 400 ? 100 : 10, sentence || 'Internal server error')), status };
  }

  control(httpMethod: string, path: string, body: Readonly<Record<string, unknown>>): StandInAnswer | null {
    return answerVkControl({ tokens: this.tokens, groups: this.walls.groups }, httpMethod, path, body);
  }
}

/** From the query, a form or multipart, all to the same effect. */
const parametersOf = ({ query, fields }: StandInCall): Parameters =>
  Object.fromEntries(
    Object.entries({ ...Object.fromEntries(query), ...fields }).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    ),
  );

const groupIdOf = ({ group_id = '' }: Parameters): string => {
  if (!/^[1-9]\d{0,18}$/.test(group_id)) throw badParameter('group_id not positive');
  return group_id;
};

const originOf = ({ headers }: StandInCall): string => `http://${headers.host ?? '127.0.0.1'}`;

const refused = ({ errorCode, errorMsg }: Refusal): StandInAnswer => ({
  status: 200,
  body: { error: { error_code: errorCode, error_msg: errorMsg, request_params: [] } },
});
