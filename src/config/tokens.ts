/** Injection token for the Settings. */
export const SETTINGS = Symbol('Settings');

/** Injection token for the limits profile that the settings select. */
export const LIMITS_PROFILE = Symbol('LimitsProfile');
