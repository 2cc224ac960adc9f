import { asSentence } from '../../../kernel/message.js';
import type { GatewayAnswer } from '../gateway-calls.js';
import { TOOL_ERRORS } from '../messages.js';
import type { ToolNames } from './tool.js';
import { ToolError } from './tool-error.js';

/** Returns the body of a successful response. @throws ToolError for an error response; its message says what to do */
export const requireSuccess = (answer: GatewayAnswer, names: ToolNames): GatewayAnswer['body'] => {
  const { status, retryAfter, body } = answer;
  if (status < 300) return body;
  const { code, request_id, details } = body;
  const text = TOOL_ERRORS.refused({ errors: joinErrors(body), advice: adviseOn(answer, names) });
  const wait = retryAfter !== null && { retry_after: retryAfter };
  throw new ToolError(text, { status, code, request_id, details, ...wait });
};

/** Returns the errors in a response body as one string. */
export const joinErrors = ({ errors }: GatewayAnswer['body']): string =>
  Array.isArray(errors) ? errors.map((error) => asSentence(String(error))).join(' ') : '';

const adviseOn = ({ status, retryAfter, body }: GatewayAnswer, names: ToolNames): string => {
  if (status === 429) return TOOL_ERRORS.adviceWait({ seconds: retryAfter ?? 1 });
  if (body.code === 'invalid_targets') return TOOL_ERRORS.adviceTargets({ discover: names.discover });
  switch (status) {
    case 401:
      return TOOL_ERRORS.adviceUnauthorized;
    case 402:
      return TOOL_ERRORS.adviceQuota;
    case 404:
      return TOOL_ERRORS.adviceNotFound;
    case 409:
      return body.code === 'publishing' ? TOOL_ERRORS.adviceLater : TOOL_ERRORS.adviceTooLate;
    case 403:
      return TOOL_ERRORS.adviceOwner;
    case 503:
      return body.code === 'endpoint_paused' || body.code === 'plan_not_allowed'
        ? TOOL_ERRORS.adviceOwner
        : TOOL_ERRORS.adviceLater;
    default:
      return status >= 500 ? TOOL_ERRORS.adviceLater : TOOL_ERRORS.adviceCorrect;
  }
};
