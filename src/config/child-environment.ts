/**
 * The whole environment of child processes: they get none of the gateway's secrets, and neither PG… variables nor a locale of the caller
 * change PostgreSQL's behaviour.
 */
export const CHILD_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** The environment of the system's tools, which are found where this process finds them. */
export const TOOL_ENVIRONMENT = { ...CHILD_ENVIRONMENT, PATH: process.env.PATH ?? CHILD_ENVIRONMENT.PATH };
