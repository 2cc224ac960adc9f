/** Injection token of the pool that queries use. */
export const POOL = Symbol('Pool');
