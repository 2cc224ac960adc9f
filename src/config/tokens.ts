/** Injection token of the Settings. */
export const SETTINGS = Symbol('Settings');

/** Injection token of the settings' limits profile. */
export const LIMITS_PROFILE = Symbol('LimitsProfile');
