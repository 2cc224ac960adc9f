import type { Running } from './start.js';

/** The demo's endpoint. */
export interface Demo {
  readonly url: string;
  readonly token: string;
}

/** Returns the text that a started process prints for people: addresses, a generated key, and the demo's endpoint. */
export const banner = (
  { address, metricsAddress, settings, infrastructure, networks }: Running,
  demo: Demo | null,
): string => {
  const { keys } = infrastructure;
  const lines: [string, string][] = [['Crosspost', `${settings.baseUrl}  (${[...settings.roles].join(', ')})`]];
  if (settings.baseUrl !== address) lines.push(['Listens on', address]);
  if (metricsAddress !== null) lines.push(['Metrics', `${metricsAddress}/metrics`]);
  if (keys.operatorKeyGenerated && settings.roles.has('api')) lines.push(['Operator key', keys.operatorKey]);
  if (demo) lines.push(['Demo endpoint', demo.url]);
  if (networks.standIns.length > 0) lines.push(['Walls', `${settings.baseUrl}/walls`]);
  const width = Math.max(...lines.map(([name]) => name.length));
  const table = lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
  return `\n${table}\n${demo ? `\n${invitation(demo)}\n` : ''}\n`;
};

const invitation = ({ url, token }: Demo): string => `  Post something:

  curl ${url} \\
    -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' \\
    -d '{"text": "Hello from Crosspost"}'`;
