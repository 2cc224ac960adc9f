import { message } from '../kernel/message.js';

/** Why the numbers of a publication are not available. */
export const STATISTICS_MESSAGES = {
  notSupported: message('{network} gives no numbers for posts.'),
  chatChanged: 'The channel publishes to another chat now, where this post is not.',
  channelDeleted: 'The channel is deleted: its numbers are not read any more.',
  credentialsUnusable: 'The channel has no usable credentials: set them again.',
  notSampled: 'No numbers were read in the 30 days after publishing: ask for them now.',
};
