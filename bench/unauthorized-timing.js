/**
 * bench -- unauthorized-timing [--n=20000]: tests that the response time does not reveal the cause of a 401
 * (publish-api.md: Authentication, 8; D-7). It sends requests with an unknown slug, a bad token, an address outside the
 * allowlist, a bad signature and an old timestamp in random order over a few keep-alive connections, n times each. The
 * requests differ only in the cause of the failure. Each pair of causes is compared by a two-sided Mann-Whitney U test.
 * The exit code is 1 if any p is 0.01 or less. (With ten pairs and no real difference, this happens in about one run in
 * fifteen, so repeat the run before drawing conclusions.)
 */
import { createHmac, randomBytes } from 'node:crypto';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { formatPostRequest } from './keep-alive.js';
import { mannWhitney } from './mann-whitney.js';
import { seed, unlimitedProfile } from './seed.js';

const BODY = JSON.stringify({ text: 'A post that will not be published.' });
const ENDPOINTS_EACH = 4;
const SIGNIFICANCE_LEVEL = 0.01;

export const run = async (args) => {
  const n = readOption(args, 'n', 20_000);
  const connections = readOption(args, 'connections', 16);
  await withBenchEnvironment(unlimitedProfile(), async ({ startGateway, startGenerator }) => {
    // Configured as in production, including the log.
    const { url, port } = await startGateway({ ROLES: 'all' }, 'ignore');
    const endpoints = (settings) => seed(url, OPERATOR_KEY, { endpoints: ENDPOINTS_EACH, settings });
    const open = await endpoints({});
    const guarded = await endpoints({ ip_allowlist: ['203.0.113.0/24'] });
    const signed = await endpoints({ require_signature: true });
    const timed = await endpoints({ require_timestamp: true });

    const now = Math.floor(Date.now() / 1_000);
    const randomHex = (bytes) => randomBytes(bytes).toString('hex');
    const request = ({ path, token, secret }, { timestamp = now, signature } = {}) => {
      const valid = createHmac('sha256', secret).update(BODY).digest('hex');
      const headers = {
        Authorization: `Bearer ${token}`,
        'X-Service-Timestamp': timestamp,
        'X-Service-Client-Signature': `sha256=${signature ?? valid}`,
      };
      return formatPostRequest(path, headers, BODY);
    };
    const alterEnd = (text) => text.slice(0, -8) + randomHex(4);
    const causes = {
      'unknown slug': open.map(({ path, ...rest }) => request({ ...rest, path: alterEnd(path) })),
      'bad token': open.map(({ token, ...rest }) => request({ ...rest, token: alterEnd(token) })),
      'wrong IP': guarded.map((endpoint) => request(endpoint)),
      'bad signature': signed.map((endpoint) => request(endpoint, { signature: randomHex(32) })),
      'old timestamp': timed.map((endpoint) => request(endpoint, { timestamp: now - 3_600 })),
    };
    const generateLoad = startGenerator('shuffled-load.js');
    await generateLoad({ port, connections, n: Math.min(n, 2_000), kinds: causes }); // warm up
    const { times, statuses } = await generateLoad({ port, connections, n, kinds: causes });
    if (Object.keys(statuses).join() !== '401') throw new Error(`not all were 401: ${JSON.stringify(statuses)}`);

    const names = Object.keys(causes);
    for (const name of names) {
      const sorted = times[name].toSorted((a, b) => a - b);
      const at = (q) => `${sorted[Math.floor(sorted.length * q)].toFixed(3)} ms`;
      console.log(
        `${name.padEnd(14)} n ${sorted.length}   p10 ${at(0.1)}   p50 ${at(0.5)}   p90 ${at(0.9)}   p99 ${at(0.99)}`,
      );
    }
    console.log('');
    const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b]));
    let distinguishable = 0;
    for (const [a, b] of pairs) {
      const { u, p } = mannWhitney(times[a], times[b]);
      // Probability that a request of `a` took longer than one of `b`; 0.5 if they do not differ.
      const chance = u / (times[a].length * times[b].length);
      if (p <= SIGNIFICANCE_LEVEL) distinguishable += 1;
      console.log(
        `${`${a} / ${b}`.padEnd(32)} p = ${p.toFixed(4)}   ${chance.toFixed(4)}${p <= SIGNIFICANCE_LEVEL ? '   distinguishable' : ''}`,
      );
    }
    console.log(`\n${distinguishable} of ${pairs.length} pairs are distinguishable (p <= ${SIGNIFICANCE_LEVEL})`);
    if (distinguishable > 0) process.exitCode = 1;
  });
};
