/** The network's display name. */
export const TITLE = 'OK';
