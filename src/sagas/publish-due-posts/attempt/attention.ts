import type { Attention, Remedy } from '../../../domain/channel/channel.events.js';
import type { PublishError } from '../../../platforms/publisher.js';

/** Returns the reason why a channel needs attention, given the error that refused a post (D-26, D-50). */
export const attentionOf = (error: PublishError): Attention => ({
  code: error.code,
  message: error.message,
  platform_says: error.platform_says ?? null,
  remedies: remediesFor(error),
});

/** Lists possible remedies for a refusal, most likely first. */
const remediesFor = ({ source, category }: PublishError): readonly Remedy[] => {
  // The gateway has no credentials to send, so the network would not see another attempt.
  if (source === 'gateway') return ['replace_credentials'];
  if (category === 'channel') return ['fix_on_platform', 'retry', 'replace_credentials'];
  return ['replace_credentials', 'fix_on_platform', 'retry'];
};
