import { message } from '../../kernel/message.js';

/** Rejections of requests by the HTTP server, before any rules of the API apply. */
export const HTTP_MESSAGES = {
  /** 400 `body_incomplete` */
  bodyIncomplete: 'The connection ended before the body was complete. Send the request again.',
  /** 400 `body_too_large` */
  bodyTooLarge: message('The body is larger than {limit} bytes (5 MB). Shorten it.'),
  /** 405 `method_not_allowed` */
  connect: 'This server is not a proxy: CONNECT is not supported.',
  /** 417 `expectation_failed` */
  expectation: 'The Expect header may only be 100-continue. Leave it out.',
  /** 400 `bad_request` */
  hostMissing: 'The Host header is missing. Send it.',
  /** 400 `bad_request` */
  headerTwice: message('The {name} header was sent twice. Send it once.'),
  /** 400 `bad_request` */
  notHttp: 'This is not a valid HTTP request.',
  /** 400 `bad_address` */
  badPath: 'The path cannot be decoded. Check its percent signs.',
  /** 404 `not_found` */
  noRoute: 'This route does not exist. Check the method and the path.',
  /** 408 `request_timeout` */
  requestTimeout: 'The request took too long to arrive. Send it again.',
  /** 431 `headers_too_large` */
  headersTooLarge: 'The headers are larger than 16 KiB. Shorten them.',
};

/** Failures of the service itself: the same request may be sent again. */
export const SERVICE_MESSAGES = {
  /** 503 `storage_unavailable` */
  storage: 'The service cannot store data at present. Send the same request again later.',
  /** 503 `unavailable` */
  unavailable: 'The service cannot reach its database or event store at present. Send the same request again.',
  /** 500 `internal` */
  internal: 'The service failed. Send the same request again, with the same Idempotency-Key.',
  /** 503 `too_many_unauthenticated` */
  overloaded: 'The service is receiving too many requests at present. Send the same request again.',
  /** 503 `too_many_large_requests` */
  tooManyLarge:
    'The service is processing too many large requests at present. Send the same request again later, or fewer at a time.',
  /** 503 `too_many_large_answers` */
  unreadAnswers:
    'Too many large responses are still being sent to you. Read them first, then send this request again; request fewer items at a time.',
};
