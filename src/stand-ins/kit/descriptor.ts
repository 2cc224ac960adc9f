import type { WallTheme } from '../walls/theme.js';
import type { RunningStandIn, StandInOptions } from './server.js';

/** A stand-in as the program starts and shows it. `catalogue.ts` lists all. */
export interface StandInDescriptor {
  /** Identifier of the network. */
  readonly platform: string;
  readonly theme: WallTheme;
  readonly demoChannel: DemoChannel;
  readonly start: (options: StandInOptions) => Promise<RunningStandIn>;
}

/** A channel on the network that the demo starts with. */
export interface DemoChannel {
  readonly name: string;
  /** Made-up credentials in the form that the network accepts. */
  readonly credentials: Readonly<Record<string, string>>;
}
