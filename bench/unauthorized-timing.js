/**
 * bench -- unauthorized-timing [--n=20000]: can the causes of a 401 be told apart by time (publish-api.md: Authentication, 8; D-7)?
 * Unknown slug, bad token, address outside the allowlist, bad signature and old timestamp, asked in random order over a
 * few keep-alive connections, n times each; requests differ in nothing but what makes them fail. A two-sided
 * Mann-Whitney U test of each pair; exit code 1 where any p is 0.01 or less. (Ten honest pairs have a p so small about
 * once in fifteen runs: run it again before you believe it.)
 */
import { createHmac, randomBytes } from 'node:crypto';
import { postRequest } from './keep-alive.js';
import { mannWhitney } from './mann-whitney.js';
import { seed, unlimitedProfile } from './seed.js';
import { onStage, OPERATOR_KEY, option } from './stage.js';

const BODY = JSON.stringify({ text: 'A post that nobody will see.' });
const ENDPOINTS_EACH = 4;
const SIGNIFICANT = 0.01;

export const run = async (args) => {
  const n = option(args, 'n', 20_000);
  const connections = option(args, 'connections', 16);
  await onStage(unlimitedProfile(), async ({ gateway, generator }) => {
    // As it runs in production, with its log.
    const { url, port } = await gateway({ ROLES: 'all' }, 'ignore');
    const endpoints = (settings) => seed(url, OPERATOR_KEY, { endpoints: ENDPOINTS_EACH, settings });
    const open = await endpoints({});
    const guarded = await endpoints({ ip_allowlist: ['203.0.113.0/24'] });
    const signed = await endpoints({ require_signature: true });
    const timed = await endpoints({ require_timestamp: true });

    const now = Math.floor(Date.now() / 1_000);
    const random = (bytes) => randomBytes(bytes).toString('hex');
    const request = ({ path, token, secret }, { timestamp = now, signature } = {}) => {
      const right = createHmac('sha256', secret).update(BODY).digest('hex');
      const headers = {
        Authorization: `Bearer ${token}`,
        'X-Service-Timestamp': timestamp,
        'X-Service-Client-Signature': `sha256=${signature ?? right}`,
      };
      return postRequest(path, headers, BODY);
    };
    const changed = (text) => text.slice(0, -8) + random(4);
    const causes = {
      'unknown slug': open.map(({ path, ...rest }) => request({ ...rest, path: changed(path) })),
      'bad token': open.map(({ token, ...rest }) => request({ ...rest, token: changed(token) })),
      'wrong IP': guarded.map((endpoint) => request(endpoint)),
      'bad signature': signed.map((endpoint) => request(endpoint, { signature: random(32) })),
      'old timestamp': timed.map((endpoint) => request(endpoint, { timestamp: now - 3_600 })),
    };
    const shoot = generator('shuffled.js');
    await shoot({ port, connections, n: Math.min(n, 2_000), kinds: causes }); // warm up
    const { times, statuses } = await shoot({ port, connections, n, kinds: causes });
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
    let told = 0;
    for (const [a, b] of pairs) {
      const { u, p } = mannWhitney(times[a], times[b]);
      // The chance that one of `a` took longer than one of `b`: 0.5 where they are alike.
      const chance = u / (times[a].length * times[b].length);
      if (p <= SIGNIFICANT) told += 1;
      console.log(
        `${`${a} / ${b}`.padEnd(32)} p = ${p.toFixed(4)}   ${chance.toFixed(4)}${p <= SIGNIFICANT ? '   told apart' : ''}`,
      );
    }
    console.log(`\n${told} of ${pairs.length} pairs can be told apart (p <= ${SIGNIFICANT})`);
    if (told > 0) process.exitCode = 1;
  });
};
