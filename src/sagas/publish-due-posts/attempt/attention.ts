import type { Attention, Remedy } from '../../../domain/channel/channel.events.js';
import type { PublishError } from '../../../platforms/publisher.js';

/** Returns why a channel needs attention, based on the error that a post was rejected with (D-26, D-50). */
export const attentionOf = (error: PublishError): Attention => ({
  code: error.code,
  message: error.message,
  platform_says: error.platform_says ?? null,
  remedies: remediesFor(error),
});

/** Lists possible remedies for a refusal, most likely first. */
const remediesFor = ({ source, category }: PublishError): readonly Remedy[] => {
  // The gateway has no credentials to send, so another attempt would not reach the network either.
  if (source === 'gateway') return ['replace_credentials'];
  if (category === 'channel') return ['fix_on_platform', 'retry', 'replace_credentials'];
  return ['replace_credentials', 'fix_on_platform', 'retry'];
};
