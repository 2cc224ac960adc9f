/** Injection token of the Settings. */
export const SETTINGS = Symbol('Settings');
