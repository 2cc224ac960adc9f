import { message } from '../../kernel/message.js';

/** Notices to owners. */
export const NOTICE_MESSAGES = {
  /** `channel.needs_attention` */
  channelNeedsAttention: message(
    'The channel {channel} needs attention. {error} Its posts are held until {until}, or until you ask for another try or set new credentials.',
  ),
  /** `publication.failed` */
  publicationFailed: message(
    'The post {post} was not published on {channel}. {error} You can send it again or dismiss it.',
  ),
  /** `publication.in_doubt` */
  publicationInDoubt: message(
    'Delivery of the post {post} to {channel} could not be confirmed. {error} Look there, then send it again or dismiss it.',
  ),
  /** `endpoint.disabled` */
  endpointDisabled: message(
    '{endpoint} was disabled: {reason}. It is not enabled again automatically: remove the cause, then enable it.',
  ),
  endpointById: message('The endpoint {id}'),
  endpointByName: message('The endpoint "{name}"'),
};
