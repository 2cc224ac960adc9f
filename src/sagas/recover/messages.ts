/** Errors of publications that a recovery put in doubt. */
export const RECOVER_MESSAGES = {
  /** `restored` */
  restored:
    'Events were lost and a backup was restored: the post may have been published, changed or cancelled since. Check the channel, then send it again or dismiss it.',
};
