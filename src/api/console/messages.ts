/** The console, `/console`. */
export const CONSOLE_MESSAGES = {
  /** 404 `console_not_built` */
  notBuilt: 'This gateway has no console, because the console was not built. Run "npm run build" in its folder.',
  /** 404 `not_found` */
  noFile: 'The console has no file with this name. Reload the page: the console may have been updated.',
};
