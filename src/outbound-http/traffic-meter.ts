/** Counts requests, and the bytes of their answers' bodies. */
export class TrafficMeter {
  requests = 0;
  bytes = 0;
}
