import { keysFile } from '../config/generated-keys.js';
import type { Settings } from '../config/settings.js';
import { demoPhotos } from './demo-photos.js';
import { BANNER_MESSAGES } from './messages.js';
import type { Running } from './start.js';

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
