import { message } from '../../kernel/message.js';

/** Text in /openapi.json that does not come from a docstring. */
export const DOCUMENTATION_MESSAGES = {
  api: 'Crosspost publishes a post on every channel of the projects bound to an endpoint. `/v1` is for clients with an endpoint token, `/manage/v1` for owners and the operator with an API key. Clients must ignore unknown members of responses: new ones may be added. Sentences in answers are English, or Russian with `Accept-Language: ru`.',
  endpointToken: "The endpoint's token.",
  managementKey: "The operator's or an owner's API key.",
  requestId: 'Id of the request; quote it when you report a problem.',
  retryAfter: 'Seconds to wait before sending the request again.',
  position: "Position of the change's event; absent if nothing changed.",
  replayed: '`true` for the stored response to an earlier request with this Idempotency-Key; its secrets are null.',
  mismatch: '`true` if another payload was sent with this key.',
  bearer: 'The authentication scheme.',
  done: 'Done; there is no body.',
  error: 'The request failed:',
  deprecated: message('Deprecated since {since}; no removal date has been set.'),
  deprecatedUntil: message('Deprecated since {since}, and served until {until}.'),
};

/** Descriptions of error statuses in /openapi.json. */
export const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'The request is malformed, or its content is not acceptable:',
  401: 'The credentials are missing or wrong:',
  402: 'The plan does not allow it:',
  403: 'Not allowed:',
  404: 'The resource does not exist, or the key may not see it:',
  408: 'The request took too long to arrive:',
  409: 'The state of the resource does not allow it:',
  415: 'The body is not JSON in UTF-8:',
  422: 'The request violates the schema:',
  429: 'Too many requests:',
  431: 'The headers are too large:',
  500: 'The service failed:',
  503: 'The service or the endpoint is not accepting requests at the moment:',
};

/** Descriptions of parameters in /openapi.json that several routes share. */
export const PARAMETER_TEXTS: Readonly<Record<string, string>> = {
  id: 'Id of the resource.',
  slug: 'Slug of the endpoint, from its URL.',
  post_id: 'Id of the post: `post_…`.',
  aggregate: 'Name of an aggregate, such as `channel`.',
  limit: 'Maximum number of items on a page.',
  cursor: '`next` of the previous page.',
  'Idempotency-Key':
    'A unique string: repeating the request within 24 hours returns the same response and changes nothing.',
  'X-Brand-Timestamp':
    "Unix time in seconds, at most five minutes off the server's clock. Required if the endpoint requires it, and for a signed GET.",
  'X-Brand-Client-Signature':
    'Hex HMAC-SHA256 of the body, keyed with the signing secret; for a GET, of the method, path and timestamp, joined by line feeds. Required if the endpoint requires it.',
};

/** Descriptions of the route groups in /openapi.json. */
export const TAG_TEXTS: Readonly<Record<string, string>> = {
  webhooks: 'Publishing, pauses and discovery, using an endpoint token.',
  sandbox: 'Checks and previews a payload; nothing is stored or published.',
  owners: 'Owners: plan, API key, post packs.',
  channels: 'Channels: one community or chat on one network.',
  projects: 'Projects: lists of channels, and how their posts are processed.',
  endpoints: 'Endpoints: where clients send posts.',
  posts: 'Posts and their publications.',
  publications: 'Publications: one post on one channel.',
  plans: 'Plan limits.',
  history: 'Past states, and who changed what.',
};
