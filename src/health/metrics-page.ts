import { SharedResult } from '../runtime/shared-result.js';
import { withTimeLimit } from '../runtime/time-limit.js';
import type { DeploymentMetrics } from './deployment-metrics.js';
import type { Metrics } from './metrics.js';

/** Time for which figures of the servers behind are kept, ms: less than any usual interval between two scrapes. */
export const METRICS_KEPT_MS = 2_000;
/** Time for which a page with this process's own figures serves all that ask for it, ms. */
export const METRICS_PAGE_KEPT_MS = 250;
/** Longest wait for the figures that lie in the database and the event store, ms; a page without them is better than none. */
const DEPLOYMENT_MS = 3_000;

/** The metrics as Prometheus reads them. However many read, the servers behind are asked once in two seconds. */
export class MetricsPage {
  readonly contentType: string;
  private readonly refresh: SharedResult<void>;
  private readonly text: SharedResult<string>;

  constructor({ registry }: Metrics, deployment: DeploymentMetrics) {
    this.contentType = registry.contentType;
    // By itself, so that a refresh that hangs is joined by later pages and not repeated by each of them.
    this.refresh = new SharedResult(() => deployment.refresh(), METRICS_KEPT_MS);
    this.text = new SharedResult(async () => {
      const late = () => new Error(`no figures within ${DEPLOYMENT_MS} ms`);
      await withTimeLimit(this.refresh.get(), DEPLOYMENT_MS, late).catch(() => undefined);
      return registry.metrics();
    }, METRICS_PAGE_KEPT_MS);
  }

  /** Returns the page. */
  read(): Promise<string> {
    return this.text.get();
  }
}
