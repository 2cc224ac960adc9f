import type { PublishError } from '../../../platforms/publisher.js';
import { UnreadablePost } from '../../../projections/posts/post-payloads.js';
import { ATTEMPT_MESSAGES } from '../messages.js';

const gatewayError = (code: string, category: PublishError['category'], message: string): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});

/** Error for an attempt whose process has stopped. @param step visible step in progress; null if there was none */
export const interruptedError = (step: string | null): PublishError =>
  gatewayError(
    'interrupted',
    'internal',
    step === null ? ATTEMPT_MESSAGES.endedBeforeSending : ATTEMPT_MESSAGES.endedWhileSending({ step }),
  );

export const leaseLostError = gatewayError('interrupted', 'internal', ATTEMPT_MESSAGES.leaseLost);

/** The channel's credentials were erased, or were not restored. */
export const credentialsMissingError = gatewayError(
  'credentials_missing',
  'credentials',
  ATTEMPT_MESSAGES.credentialsMissing,
);

/** The channel's credentials cannot be decrypted. */
export const credentialsUnreadableError = gatewayError(
  'credentials_unreadable',
  'credentials',
  ATTEMPT_MESSAGES.credentialsUnreadable,
);

export const channelMovedError = gatewayError('channel_moved', 'channel', ATTEMPT_MESSAGES.channelMoved);

/** The gateway has a bug; the log has the cause. */
export const internalError = gatewayError('internal_error', 'internal', ATTEMPT_MESSAGES.internal);

/** The publication's events cannot be read, so it is unknown what was sent. */
export const historyUnreadableError = gatewayError(
  'history_unreadable',
  'internal',
  ATTEMPT_MESSAGES.historyUnreadable,
);

const postUnreadableError = gatewayError('post_unreadable', 'internal', ATTEMPT_MESSAGES.postUnreadable);

/**
 * Error for an attempt that ended with an exception. Only the log has the cause, because it may contain secrets.
 * @param sending visible step in progress; null if there was none
 */
export const unexpectedError = (thrown: unknown, sending: string | null): PublishError => {
  if (sending !== null)
    return gatewayError('internal_error', 'internal', ATTEMPT_MESSAGES.internalWhileSending({ step: sending }));
  return thrown instanceof UnreadablePost ? postUnreadableError : internalError;
};
