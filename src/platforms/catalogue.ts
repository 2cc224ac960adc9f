import { max } from './max/descriptor.js';
import { ok } from './ok/descriptor.js';
import { PlatformCatalogue } from './platform-catalogue.js';
import { telegram } from './telegram/descriptor.js';
import { vk } from './vk/descriptor.js';

/** The supported networks (publish-api.md: Target; D-4), in the order in which messages list them. */
export const PLATFORMS = new PlatformCatalogue([telegram, vk, max, ok]);
