import { STAND_INS } from '../../stand-ins/catalogue.js';
import type { StandInDescriptor } from '../../stand-ins/kit/network.js';
import { PLATFORMS } from '../platforms/catalogue.js';
import type { PlatformCatalogue } from '../platforms/platform-catalogue.js';

/** The networks that a process knows, and the stand-ins that it may start for them. */
export interface NetworkCatalogues {
  readonly platforms: PlatformCatalogue;
  readonly standIns: readonly StandInDescriptor[];
}

/** The networks built into the program. */
export const BUILT_IN_NETWORKS: NetworkCatalogues = { platforms: PLATFORMS, standIns: STAND_INS };
