import type { PublishError } from '../../../platforms/publisher.js';

const ours = (code: string, category: PublishError['category'], message: string): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});

/** An attempt whose process is gone. @param step the visible step that was on its way; null: none was */
export const interrupted = (step: string | null): PublishError =>
  ours(
    'interrupted',
    'internal',
    step === null
      ? 'The process ended before anything was sent.'
      : `The process ended while "${step}" was on its way: readers may or may not see it.`,
  );

/** An attempt whose process had lost its right to the channel before it sent anything. */
export const overdue = ours(
  'interrupted',
  'internal',
  'The process was cut off from the database before anything was sent.',
);

/** The channel's credentials are no longer kept. */
export const erased = ours(
  'credentials_erased',
  'credentials',
  'The credentials of this channel were erased: set new ones.',
);

/** The network has given the channel another address. */
export const moved = ours(
  'channel_moved',
  'channel',
  'The network has moved this channel; the post is sent to its new place.',
);

/** The program itself is wrong; its log says where. */
export const broken = ours(
  'internal_error',
  'internal',
  'The gateway could not make this post ready for the network: its operator finds the cause in the log.',
);
