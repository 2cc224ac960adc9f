import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StandInControl } from '../../src/stand-ins/kit/control-client.js';
import { type Gateway, type Program, startGateway, startStandIn } from '../support/gateway.js';
import { newDataDir, startTestPostgres } from '../support/postgres.js';
import { Manage, OPERATOR_KEY } from './manage.js';

/** Of every database that a test shares between processes. */
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

/** A network's stand-in, in a process of its own. */
export interface Network {
  readonly url: string;
  readonly control: StandInControl;
}

/**
 * Everything that one test starts. What it starts is ended with it, however it ends; where it fails, the processes'
 * last words are shown.
 */
export class Stage {
  private readonly programs: Program[] = [];
  private readonly endings: (() => Promise<unknown>)[] = [];

  /** A gateway's DATA_DIR with an empty database in it, which saves making one. */
  async dataDir(): Promise<string> {
    const folder = await newDataDir();
    this.atTheEnd(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  /** An empty folder that anybody may enter. */
  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'crosspost-e2e-'));
    await chmod(folder, 0o755);
    this.atTheEnd(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  /** A PostgreSQL that outlives every gateway: the settings that let gateways share it. */
  async database(): Promise<{ readonly DATABASE_URL: string; readonly SECRETS_KEY: string }> {
    const { connectionString, stop } = await startTestPostgres();
    this.atTheEnd(stop);
    return { DATABASE_URL: connectionString, SECRETS_KEY };
  }

  /** Telegram, as far as a gateway can tell. */
  telegram(): Promise<Network> {
    return this.network('telegram');
  }

  /** A network, as far as a gateway can tell. */
  async network(name: 'telegram' | 'vk' | 'max' | 'ok'): Promise<Network> {
    const folder = await this.folder();
    const { url, program } = await startStandIn(name, join(folder, `${name}.jsonl`));
    this.programs.push(program);
    return { url, control: new StandInControl(url) };
  }

  /** A gateway without limits and without a pace of its own; `settings` win over that. */
  async gateway(settings: Readonly<Record<string, string>>): Promise<Gateway> {
    const gateway = await startGateway({
      PORT: '0',
      DEMO: 'off',
      OPERATOR_KEY,
      PACING: 'off',
      // Longer than any machine stalls: a test in which a lease is to run out shortens it.
      LEASE_SECONDS: '60',
      LIMITS_PROFILE: fileURLToPath(new URL('./unlimited.json', import.meta.url)),
      ...settings,
    });
    this.programs.push(gateway.program);
    return gateway;
  }

  /** A gateway as it starts without settings, with stand-ins of all networks and a demo owner. */
  async demo(dataDir: string): Promise<Gateway> {
    const gateway = await startGateway({ PORT: '0', DATA_DIR: dataDir });
    this.programs.push(gateway.program);
    return gateway;
  }

  /** What has to be undone when the test is over; the last comes first, and processes before all. */
  atTheEnd(undo: () => Promise<unknown>): void {
    this.endings.push(undo);
  }

  async clear(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.killAll()));
    for (const undo of this.endings.reverse()) await undo();
  }

  /** What every process said last. */
  lastWords(): string {
    return this.programs.map(({ name, pid, log }) => `--- ${name} (${pid})\n${log}\n`).join('');
  }
}

/** The management API of one gateway. */
export const manageOf = ({ url }: Gateway): Manage => new Manage(() => url);

/** Far above what a test takes on a machine of its own: others may be at work on it. */
const TIMEOUT_MS = 180_000;

/** A test with a stage to itself. */
export const scene = (title: string, play: (stage: Stage) => Promise<void>, timeoutMs = TIMEOUT_MS): void =>
  it(
    title,
    async () => {
      const stage = new Stage();
      try {
        await watched(stage, () => play(stage));
      } finally {
        await stage.clear();
      }
    },
    timeoutMs,
  );

/** Tests that share a stage: set up once for the `describe` that this is called in. Answers how to write each. */
export const sharing = <Cast>(setUp: (stage: Stage) => Promise<Cast>) => {
  const stage = new Stage();
  let cast: Cast;
  beforeAll(() => watched(stage, async () => void (cast = await setUp(stage))), TIMEOUT_MS);
  afterAll(() => stage.clear());
  return (title: string, play: (cast: Cast) => Promise<void>, timeoutMs = TIMEOUT_MS): void =>
    it(title, () => watched(stage, () => play(cast)), timeoutMs);
};

/** Shows what the processes said where it fails. */
const watched = async (stage: Stage, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    process.stderr.write(stage.lastWords());
    throw error;
  }
};
