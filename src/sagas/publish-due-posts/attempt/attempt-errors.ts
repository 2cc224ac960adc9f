import type { PublishError } from '../../../platforms/publisher.js';
import { UnreadablePost } from '../../../projections/posts/post-payloads.js';
import { ATTEMPT_MESSAGES } from '../messages.js';

const gatewayError = (code: string, category: PublishError['category'], message: string): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});

/**
 * Error for an attempt that was interrupted because its process stopped.
 * @param step the visible step that was in progress; null if none was
 */
export const interruptedError = (step: string | null): PublishError =>
  gatewayError(
    'interrupted',
    'internal',
    step === null ? ATTEMPT_MESSAGES.endedBeforeSending : ATTEMPT_MESSAGES.endedWhileSending({ step }),
  );

/** Error for an attempt whose process lost the channel's lease before it sent anything. */
export const leaseLostError = gatewayError('interrupted', 'internal', ATTEMPT_MESSAGES.leaseLost);

/** Error for an attempt on a channel whose credentials were erased, or were not restored. */
export const credentialsMissingError = gatewayError(
  'credentials_missing',
  'credentials',
  ATTEMPT_MESSAGES.credentialsMissing,
);

/** Error for an attempt on a channel whose stored credentials cannot be decrypted. */
export const credentialsUnreadableError = gatewayError(
  'credentials_unreadable',
  'credentials',
  ATTEMPT_MESSAGES.credentialsUnreadable,
);

/** Error for an attempt on a channel that the network has moved to another address. */
export const channelMovedError = gatewayError('channel_moved', 'channel', ATTEMPT_MESSAGES.channelMoved);

/** Error for an attempt that failed because of a bug in the gateway; the log has the cause. */
export const internalError = gatewayError('internal_error', 'internal', ATTEMPT_MESSAGES.internal);

/** Error for a publication whose stored events cannot be read, so that it is not known what was sent. */
export const historyUnreadableError = gatewayError(
  'history_unreadable',
  'internal',
  ATTEMPT_MESSAGES.historyUnreadable,
);

const postUnreadableError = gatewayError('post_unreadable', 'internal', ATTEMPT_MESSAGES.postUnreadable);

/**
 * Error for an attempt that ended with an exception. Only the log has the cause, because it may contain secrets.
 * @param sending the visible step that was in progress; null if none was
 */
export const unexpectedError = (thrown: unknown, sending: string | null): PublishError => {
  if (sending !== null)
    return gatewayError('internal_error', 'internal', ATTEMPT_MESSAGES.internalWhileSending({ step: sending }));
  return thrown instanceof UnreadablePost ? postUnreadableError : internalError;
};
