/** Counts requests and the bytes of their response bodies. */
export class TrafficMeter {
  requests = 0;
  bytes = 0;
}
