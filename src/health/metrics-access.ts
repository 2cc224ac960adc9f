import { isTokenValid, readBearerToken } from '../api/public/gate/credentials.js';
import { HttpProblem } from '../api/transport/http-problem.js';
import type { Settings } from '../config/settings.js';
import { HEALTH_MESSAGES } from './messages.js';
import { hashToken } from '../secrets/tokens.js';

/** The listeners that serve /metrics: the API's, and one of its own. */
export type MetricsDoor = 'PORT' | 'METRICS_PORT';

type AccessSettings = Pick<Settings, 'metricsKey' | 'metricsPort' | 'operatorKey' | 'production'>;

/**
 * The keys with which /metrics may be read (management-api.md: METRICS_KEY, METRICS_PORT). With METRICS_KEY that key counts on
 * either port. Without it, METRICS_PORT is open and PORT is for the operator's key, which is also so in production
 * without either. The operator's key is always good.
 */
export class MetricsAccess {
  /** SHA-256 of the keys, hex; null: no key is needed. */
  private readonly hashes: Readonly<Record<MetricsDoor, readonly string[] | null>>;

  constructor({ metricsKey, metricsPort, operatorKey, production }: AccessSettings) {
    const keys = [metricsKey, operatorKey].filter((key) => key !== null).map(hashToken);
    const isPortClosed = metricsKey !== null || metricsPort !== null || production;
    this.hashes = { PORT: isPortClosed ? keys : null, METRICS_PORT: metricsKey === null ? null : keys };
  }

  /** @throws HttpProblem 401 if a key is needed and the Authorization header holds none of those that count */
  check(door: MetricsDoor, authorization: string | undefined): void {
    const hashes = this.hashes[door];
    if (hashes === null) return;
    const sent = readBearerToken(authorization);
    if (hashes.some((hash) => isTokenValid(sent, hash))) return;
    throw HttpProblem.withMessage(401, 'unauthorized', HEALTH_MESSAGES.metricsKey, { 'www-authenticate': 'Bearer' });
  }
}
