/**
 * The whole environment of child processes. They get none of the gateway's secrets, and neither the PG… variables nor
 * the locale of the caller, which would change how PostgreSQL behaves.
 */
export const CHILD_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** The environment for system tools: the same, with this process's search path. */
export const TOOL_ENVIRONMENT = { ...CHILD_ENVIRONMENT, PATH: process.env.PATH ?? CHILD_ENVIRONMENT.PATH };
