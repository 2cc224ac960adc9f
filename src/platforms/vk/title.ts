/** The network's name for people. */
export const TITLE = 'VK';
