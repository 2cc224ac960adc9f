import { message } from '../kernel/message.js';

/** Error responses from the listener on `METRICS_PORT`, and from `/metrics`. */
export const HEALTH_MESSAGES = {
  /** 404 `not_found`, 400 `bad_request` */
  noRoute: 'This port serves only GET /healthz, /readyz and /metrics.',
  /** 500 `internal` */
  internal: 'The service failed. Send the same request again.',
  /** 401 `unauthorized` */
  metricsKey: "The key is missing or wrong. Send METRICS_KEY or the operator's key: Authorization: Bearer <key>.",
};

/** Results of checks in `/readyz`. */
export const READINESS_MESSAGES = {
  notBuilt: 'not built yet: start a process with the role worker on this database',
  beingBuilt: 'being built from the events: wait until it has caught up',
  stopped: message('stopped: {error}'),
  stoppedSaga: message('stopped at an event, which it keeps retrying: {error}'),
  setAside: message('{count} planned posts cannot be released, among them {post}: {reason}'),
  farBehind: message('far behind: the next event to apply is {seconds} s old'),
  failingWork: message('failed {failures} times in {seconds} s, and is retried: {reason}'),
  clock: message("{seconds} s {side} the database's clock: synchronize the clocks of both machines, e.g. with NTP"),
  recovery:
    'events were lost and a backup was restored: what waited is held until it is confirmed (GET /manage/v1/recovery)',
  noAnswer: message('no answer within {ms} ms'),
};
