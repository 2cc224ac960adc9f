import { changeGroup, InvalidControlRequest, readChoice, readString } from '../kit/control.js';
import type { ControlFields, StandInAnswer } from '../kit/network.js';
import { ApiError } from './api-error.js';
import { type Applications, TOKEN_STATES } from './applications.js';
import { GROUP_STATES, type Groups } from './groups.js';
import type { Uploads, VideoProcessing } from './uploads.js';

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
export const answerOkControl = (
  {
    applications,
    groups,
    uploads,
  }: { readonly applications: Applications; readonly groups: Groups; readonly uploads: Uploads },
  control: string,
  body: ControlFields,
): StandInAnswer | null => {
  switch (control) {
    case 'POST applications':
      applications.addApplication(readString(body, 'application_key'), readString(body, 'application_secret'));
      return { status: 200, body: {} };
    case 'POST tokens': {
      const state = readChoice(body, 'state', TOKEN_STATES);
      applications.setToken(readString(body, 'token'), state);
      return { status: 200, body: { state } };
    }
    case 'POST groups':
      return setGroup(groups, body);
    case 'POST videos': {
      const { checks = 0, ready = false } = body;
      if (typeof checks !== 'number' || checks < 0) throw new InvalidControlRequest('checks must be at least 0');
      Object.assign(uploads.processing, { checks, isReadyAtOnce: ready === true } satisfies VideoProcessing);
      return { status: 200, body: { checks, ready: ready === true } };
    }
    case 'POST limits': {
      const { text } = body;
      if (typeof text !== 'number' || text <= 0) throw new InvalidControlRequest('text must be above 0');
      groups.textLimit = text;
      return { status: 200, body: { text } };
    }
    default:
      return null;
  }
};

const setGroup = (groups: Groups, body: ControlFields): StandInAnswer => {
  const group = groups.getOrCreate(readString(body, 'group_id'));
  changeGroup(group, body, GROUP_STATES, (code, message = 'refused') => new ApiError(code, message));
  return { status: 200, body: { group_id: group.id, title: group.title } };
};
