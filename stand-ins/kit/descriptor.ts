import type { WallTheme } from '../walls/theme.js';
import type { RunningStandIn, StandInOptions } from './server.js';

/** How to start and show a stand-in. `catalogue.ts` lists all stand-ins. */
export interface StandInDescriptor {
  readonly platform: string;
  readonly theme: WallTheme;
  readonly demoChannel: DemoChannel;
  readonly start: (options: StandInOptions) => Promise<RunningStandIn>;
}

/** A channel on the network that the demo starts with. */
export interface DemoChannel {
  readonly name: string;
  /** Made-up credentials in the format that the network accepts. */
  readonly credentials: Readonly<Record<string, string>>;
}
