import { SharedResult } from '../runtime/shared-result.js';
import { withTimeLimit } from '../runtime/time-limit.js';
import type { DeploymentMetrics } from './deployment-metrics.js';
import type { Metrics } from './metrics.js';

/** How long values from the database and the event store are cached, in ms; shorter than typical scrape intervals. */
export const METRICS_KEPT_MS = 2_000;
/** How long a page with this process's own values is cached, in ms. */
export const METRICS_PAGE_KEPT_MS = 250;
/** Maximum wait for values from the database and the event store, in ms. A page without them is better than none. */
const DEPLOYMENT_MS = 3_000;

/**
 * The metrics in Prometheus format. However many clients read them, the database and the event store are queried at
 * most once every two seconds.
 */
export class MetricsPage {
  readonly contentType: string;
  private readonly refresh: SharedResult<void>;
  private readonly text: SharedResult<string>;

  constructor({ registry }: Metrics, deployment: DeploymentMetrics) {
    this.contentType = registry.contentType;
    // Runs in the background, so that later pages wait for a slow refresh instead of starting another.
    this.refresh = new SharedResult(() => deployment.refresh(), METRICS_KEPT_MS);
    this.text = new SharedResult(async () => {
      const late = () => new Error(`no figures within ${DEPLOYMENT_MS} ms`);
      await withTimeLimit(this.refresh.get(), DEPLOYMENT_MS, late).catch(() => undefined);
      return registry.metrics();
    }, METRICS_PAGE_KEPT_MS);
  }

  read(): Promise<string> {
    return this.text.get();
  }
}
