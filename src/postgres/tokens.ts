/** Injection token for the connection pool that queries use. */
export const POOL = Symbol('Pool');
