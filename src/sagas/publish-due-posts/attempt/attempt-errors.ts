import type { PublishError } from '../../../platforms/publisher.js';
import { UnreadablePost } from '../../../projections/posts/post-payloads.js';

const gatewayError = (code: string, category: PublishError['category'], message: string): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});

/** Error of an attempt whose process ended. @param step the visible step that was under way; null: none was */
export const interruptedError = (step: string | null): PublishError =>
  gatewayError(
    'interrupted',
    'internal',
    step === null
      ? 'The process ended before anything was sent.'
      : `The process ended while "${step}" was being sent: readers may or may not see it.`,
  );

/** Error of an attempt whose process lost the channel's lease before it sent anything. */
export const leaseLostError = gatewayError(
  'interrupted',
  'internal',
  'The process was cut off from the database before anything was sent.',
);

/** Error of an attempt on a channel whose credentials were erased. */
export const credentialsErasedError = gatewayError(
  'credentials_erased',
  'credentials',
  'The credentials of this channel were erased: set new ones.',
);

/** Error of an attempt on a channel whose stored credentials cannot be decrypted. */
export const credentialsUnreadableError = gatewayError(
  'credentials_unreadable',
  'credentials',
  'The stored credentials of this channel cannot be decrypted: set them once more.',
);

/** Error of an attempt on a channel to which the network has given another address. */
export const channelMovedError = gatewayError(
  'channel_moved',
  'channel',
  'The network has moved this channel; the post is sent to its new address.',
);

/** Error of an attempt that failed because of a bug in the gateway; the log has the cause. */
export const internalError = gatewayError(
  'internal_error',
  'internal',
  'The gateway failed to prepare this post for the network. The cause is in the log of its operator.',
);

const postUnreadableError = gatewayError(
  'post_unreadable',
  'internal',
  'The stored post cannot be read as it was accepted. The cause is in the log of the gateway’s operator.',
);

/**
 * Error of an attempt in which something threw: the log has the cause, which may name secrets.
 * @param sending the visible step that was under way; null: none was
 */
export const unexpectedError = (thrown: unknown, sending: string | null): PublishError => {
  if (sending !== null)
    return gatewayError(
      'internal_error',
      'internal',
      `The gateway failed while "${sending}" was being sent: readers may or may not see it. The cause is in the log of its operator.`,
    );
  return thrown instanceof UnreadablePost ? postUnreadableError : internalError;
};
