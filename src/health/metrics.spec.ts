import { HttpProblem } from '../api/transport/problem.view.js';
import { MetricsAccess, type MetricsDoor } from './metrics.js';

const OPERATOR = 'the-operators-key';
const KEY = 'the-metrics-key';
const none = { metricsKey: null, metricsPort: null, operatorKey: OPERATOR, production: false };

/** Lists who may read the metrics on one of the ports: without a key, with METRICS_KEY, with the operator's key. */
const readers = (
  settings: Partial<typeof none> | { metricsKey: string } | { metricsPort: number },
  door: MetricsDoor,
) => {
  const access = new MetricsAccess({ ...none, ...settings });
  const mayRead = (authorization?: string): boolean => {
    try {
      access.check(door, authorization);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(HttpProblem);
      expect(error).toMatchObject({ status: 401, code: 'unauthorized', headers: { 'www-authenticate': 'Bearer' } });
      return false;
    }
  };
  expect(mayRead('Bearer another-key')).toBe(mayRead());
  const keys = { anyone: undefined, metrics: `Bearer ${KEY}`, operator: `Bearer ${OPERATOR}` };
  return Object.entries(keys).flatMap(([who, authorization]) => (mayRead(authorization) ? [who] : []));
};

describe('/metrics may be read', () => {
  it.each([
    ['in development, by anyone', {}, 'PORT', ['anyone', 'metrics', 'operator']],
    ['in production, with the operator’s key', { production: true }, 'PORT', ['operator']],
    ['with METRICS_KEY or the operator’s key, if it is set', { metricsKey: KEY }, 'PORT', ['metrics', 'operator']],
    ['the same in production', { metricsKey: KEY, production: true }, 'PORT', ['metrics', 'operator']],
    ['with the operator’s key on PORT, if there is a METRICS_PORT', { metricsPort: 9 }, 'PORT', ['operator']],
    [
      'by anyone on METRICS_PORT',
      { metricsPort: 9, production: true },
      'METRICS_PORT',
      ['anyone', 'metrics', 'operator'],
    ],
    ['with a key on METRICS_PORT too', { metricsPort: 9, metricsKey: KEY }, 'METRICS_PORT', ['metrics', 'operator']],
    ['and then on PORT', { metricsPort: 9, metricsKey: KEY }, 'PORT', ['metrics', 'operator']],
  ] as const)('%s', (_, settings, door, who) => expect(readers(settings, door)).toEqual(who));
});
