import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { OneTimeCode } from '../api/management/sessions/sessions.controller.js';
import { keysFile } from '../config/generated-keys.js';
import { defaultBaseUrl, type Settings } from '../config/settings.js';
import { SETTINGS } from '../config/tokens.js';
import { createHealthListener, HealthRoutes } from '../health/health.controller.js';
import { HelperCheck } from '../media/helper.js';
import { isDiscoveryBuilt } from '../projections/discovery/endpoint-snapshots.queries.js';
import { demoPhotos } from './demo.js';
import { closeHttpServer, createHttpServer, listen } from './http-server.js';
import { type Infrastructure, infrastructureOf } from './infrastructure.js';
import { BANNER_MESSAGES } from './messages.js';
import { NETWORKS, type Networks } from './networks.js';
import { type Overrides, type ProcessSettings, Resources } from './process-options.js';
import type { NoticedLoss } from './recovery/log-recovery.js';
import { SeenWatch } from './recovery/seen-watch.js';

const PAUSE_MS = 20;
/** Maximum wait, in ms. A process with a long history starts serving requests before it has read all events. */
const LIMIT_MS = 10_000;

/**
 * Waits until `discovery` has reached the end of the log once, for at most ten seconds, so that the first requests do
 * not get a 503.
 * @param signal ends the wait
 */
export const waitUntilBuilt = async (pool: Pool, signal: AbortSignal | undefined): Promise<void> => {
  const end = performance.now() + LIMIT_MS;
  while (!signal?.aborted && performance.now() < end) {
    // A database outage must not fail the start; /readyz reports it.
    if (await isDiscoveryBuilt(pool).catch(() => false)) return;
    await sleep(PAUSE_MS);
  }
};

/** A running process of the gateway. */
export interface Running {
  readonly settings: ProcessSettings;
  /** Address on this machine; BASE_URL may be a name that resolves only from outside. */
  readonly address: string;
  /** Address of the listener for METRICS_PORT; null if there is none. */
  readonly metricsAddress: string | null;
  readonly infrastructure: Infrastructure;
  readonly networks: Networks;
  /** Code for signing in to the console; null if this process is not in demo mode or has no API. */
  readonly oneTimeCode: OneTimeCode | null;
  /** Checks the isolation of helper processes, for /readyz and the log. */
  checkHelpers(): Promise<void>;
  /**
   * Resolves once the event store has lost events that this process has seen. Nothing is read or written any more: stop
   * the process, and start it again with this loss (D-80).
   */
  readonly eventsLost: Promise<NoticedLoss>;
  /** Finishes the requests and sends in progress, then closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the roles listed in the settings. If one part fails to start, stops the parts that have started.
 * @param signal cancels the start
 * @param noticed the loss because of which the process starts again; null for a usual start
 * @throws Error with a human-readable message if the process cannot start
 */
export const start = async (
  given: Settings,
  log: Logger,
  signal?: AbortSignal,
  overrides: Overrides = {},
  noticed: NoticedLoss | null = null,
): Promise<Running> => {
  const resources = new Resources(log);
  let app: NestFastifyApplication | null = null;
  let stopping: Promise<void> | null = null;
  const stopOnce = async (): Promise<void> => {
    if (app) await closeHttpServer(app).catch((error: unknown) => log.error({ err: error }, 'failed to stop cleanly'));
    await resources.closeAll();
  };
  const stop = () => (stopping ??= stopOnce());
  try {
    app = await createHttpServer({ settings: given, log, signal, overrides, noticed }, resources);
    signal?.throwIfAborted();
    const settings = app.get<ProcessSettings>(SETTINGS, { strict: false });
    await app.init();
    // Not NestJS's own listen(), which would log the error that it throws.
    const server: FastifyInstance = app.getHttpAdapter().getInstance();
    const { host } = given;
    const address = defaultBaseUrl(host, await listen(server, { host, port: given.port, portSetting: 'PORT' }));
    const metricsAddress = await openHealthListener(app, given, resources);
    signal?.throwIfAborted();
    settings.baseUrl = given.baseUrl ?? address;
    const infrastructure = infrastructureOf(app);
    if (given.roles.has('worker')) await waitUntilBuilt(infrastructure.pool, signal);
    signal?.throwIfAborted();
    const networks = app.get<Networks>(NETWORKS, { strict: false });
    const oneTimeCode = given.demo && given.roles.has('api') ? app.get(OneTimeCode, { strict: false }) : null;
    const helpers = app.get(HelperCheck, { strict: false });
    const checkHelpers = () => helpers.run();
    const { eventsLost } = app.get(SeenWatch, { strict: false });
    return { settings, address, metricsAddress, infrastructure, networks, oneTimeCode, checkHelpers, eventsLost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Opens the listener for METRICS_PORT, which keeps responding while the process finishes its requests and sends. */
const openHealthListener = async (
  app: NestFastifyApplication,
  { host, metricsPort }: Settings,
  resources: Resources,
): Promise<string | null> => {
  if (metricsPort === null) return null;
  const listener = createHealthListener(app.get(HealthRoutes, { strict: false }));
  await resources.add(() => listener.close());
  return defaultBaseUrl(host, await listen(listener, { host, port: metricsPort, portSetting: 'METRICS_PORT' }));
};

/** The demo, as shown in the banner. */
export interface Demo {
  /** Null if the endpoint was deleted. */
  readonly endpoint: {
    readonly url: string;
    readonly token: string;
    /** URL of the call that enables the endpoint; null if it is active. */
    readonly enableUrl: string | null;
  } | null;
  /** Code that signs the demo owner in to the console; null if the owner's key was replaced. */
  readonly signInCode: string | null;
}

/** Lists the routes that a process with these roles serves, and states whether it publishes posts. */
export const describeServices = ({ roles, demo }: Pick<Settings, 'roles' | 'demo'>): string =>
  [
    ...(roles.has('api') ? ['/v1', '/manage/v1'] : []),
    ...(roles.has('tools') ? ['/sse'] : []),
    ...(demo ? ['/walls'] : []),
    '/healthz, /readyz, /metrics',
    ...(roles.has('worker') ? [BANNER_MESSAGES.publishes] : []),
  ].join(', ');

/** Returns what a started process prints: its addresses, a generated operator key, and the demo's endpoint. */
export const banner = (
  { address, metricsAddress, settings, infrastructure, networks }: Running,
  demo: Demo | null,
): string => {
  const { keys } = infrastructure;
  const code = demo?.signInCode ? `#code=${demo.signInCode}` : '';
  const lines: [string, string][] = [];
  if (settings.roles.has('api')) lines.push(['Console', `${settings.baseUrl}/console${code}`]);
  lines.push(['Crosspost', `${settings.baseUrl}  (${[...settings.roles].join(', ')})`]);
  lines.push(['Serves', describeServices(settings)]);
  if (settings.baseUrl !== address) lines.push(['Listens on', address]);
  if (metricsAddress !== null) lines.push(['Metrics', `${metricsAddress}/metrics`]);
  if (keys.operatorKeyGenerated !== null && settings.roles.has('api'))
    lines.push(['Operator key', keys.operatorKeyGenerated === 'now' ? keys.operatorKey : keptIn(settings.dataDir)]);
  if (demo?.endpoint) lines.push(['Demo endpoint', demo.endpoint.url]);
  if (networks.standIns.length > 0) lines.push(['Walls', `${settings.baseUrl}/walls`]);
  const width = Math.max(...lines.map(([name]) => name.length));
  const table = lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
  return `\n${table}\n${demo?.endpoint ? `\n${invitation(demo.endpoint, settings)}\n` : ''}\n`;
};

/** The key itself is printed only at the first start: later output often ends up in logs. */
const keptIn = (dataDir: string): string => BANNER_MESSAGES.operatorKeyKept({ file: keysFile(dataDir) });

const invitation = ({ url, token, enableUrl }: NonNullable<Demo['endpoint']>, settings: Settings): string => {
  const [photo] = demoPhotos(settings);
  const media = photo ? `, "media": [{"type": "photo", "url": "${photo.url}"}]` : '';
  const body = `{"text": ${JSON.stringify(BANNER_MESSAGES.firstPost)}${media}}`;
  const howToPost = BANNER_MESSAGES.post({ url, token, body });
  return enableUrl === null ? howToPost : `${BANNER_MESSAGES.demoDisabled({ url: enableUrl })}\n\n${howToPost}`;
};
