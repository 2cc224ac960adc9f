import type { Attention, Remedy } from '../../../domain/channel/channel.events.js';
import type { PublishError } from '../../../platforms/publisher.js';

/** Returns the reason for a channel's wait for a person, from the refusal of a post (D-26, D-50). */
export const attentionOf = (error: PublishError): Attention => ({
  code: error.code,
  message: error.message,
  platform_says: error.platform_says ?? null,
  remedies: remediesFor(error),
});

/** Lists what may end a refusal, the likeliest first. */
const remediesFor = ({ source, category }: PublishError): readonly Remedy[] => {
  // The gateway has no credentials that it could send: the network would not see another try.
  if (source === 'gateway') return ['replace_credentials'];
  if (category === 'channel') return ['fix_on_platform', 'retry', 'replace_credentials'];
  return ['replace_credentials', 'fix_on_platform', 'retry'];
};
