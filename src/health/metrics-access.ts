import { isTokenValid, readBearerToken } from '../api/transport/credentials.js';
import { HttpProblem } from '../api/transport/http-problem.js';
import type { Settings } from '../config/settings.js';
import { hashToken } from '../secrets/tokens.js';
import { HEALTH_MESSAGES } from './messages.js';

/** The listeners that serve /metrics: the API's and a separate one. */
export type MetricsDoor = 'PORT' | 'METRICS_PORT';

type AccessSettings = Pick<Settings, 'metricsKey' | 'metricsPort' | 'operatorKey' | 'production'>;

/**
 * Checks access to /metrics (management-api.md: METRICS_KEY, METRICS_PORT). If METRICS_KEY is set, both ports require a
 * key. Otherwise METRICS_PORT is open, and PORT requires a key in production or if METRICS_PORT is set. Accepts
 * METRICS_KEY and the operator's key.
 */
export class MetricsAccess {
  /** SHA-256 of the keys, hex; null if no key is needed. */
  private readonly hashes: Readonly<Record<MetricsDoor, readonly string[] | null>>;

  constructor({ metricsKey, metricsPort, operatorKey, production }: AccessSettings) {
    const keys = [metricsKey, operatorKey].filter((key) => key !== null).map(hashToken);
    const isPortClosed = metricsKey !== null || metricsPort !== null || production;
    this.hashes = { PORT: isPortClosed ? keys : null, METRICS_PORT: metricsKey === null ? null : keys };
  }

  /** @throws HttpProblem 401 if a key is needed and the Authorization header contains no valid key */
  check(door: MetricsDoor, authorization: string | undefined): void {
    const hashes = this.hashes[door];
    if (hashes === null) return;
    const sent = readBearerToken(authorization);
    if (hashes.some((hash) => isTokenValid(sent, hash))) return;
    throw HttpProblem.withMessage(401, 'unauthorized', HEALTH_MESSAGES.metricsKey, { 'www-authenticate': 'Bearer' });
  }
}
