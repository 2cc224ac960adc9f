import { loadSettings, type Settings } from '../../src/config/settings.js';
import { PLATFORMS } from '../../src/platforms/catalogue.js';

/** Settings of a gateway under test, for the networks that the program knows. @param env settings by name */
export const loadTestSettings = (env: NodeJS.ProcessEnv): Settings => loadSettings(env, PLATFORMS.all);
