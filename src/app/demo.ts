import type { Demo } from './banner.js';
import type { Running } from './start.js';

export const seedDemo = async (_running: Running): Promise<Demo | null> => null;
