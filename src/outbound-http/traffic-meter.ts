/** Counts requests and response body bytes. */
export class TrafficMeter {
  requests = 0;
  bytes = 0;
}
