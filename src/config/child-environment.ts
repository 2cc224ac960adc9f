/**
 * The complete environment of child processes. They do not inherit the gateway's secrets, nor the caller's PG…
 * variables and locale, which would change how PostgreSQL behaves.
 */
export const CHILD_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** The environment for system tools: the same, but with this process's `PATH`. */
export const TOOL_ENVIRONMENT = { ...CHILD_ENVIRONMENT, PATH: process.env.PATH ?? CHILD_ENVIRONMENT.PATH };
