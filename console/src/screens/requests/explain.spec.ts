import { getFormat } from '../../i18n/format.js';
import { explainRequest, type LoggedRequest } from './explain.js';
import { reasonMessages } from './reason-messages.js';

const POST = 'POST /v1/webhooks/{slug}';
const POSTS = '/v1/webhooks/{slug}/posts';

/** Returns the short explanation of a request. */
const explain = (request: Partial<LoggedRequest>): string =>
  explainRequest(
    { decision: 'accepted', reason: null, why: null, post_id: 'post_1', route: POST, ...request } as LoggedRequest,
    reasonMessages.en,
    getFormat('en'),
  ).short;

it.each<[string, Partial<LoggedRequest>]>([
  ['Queued for publishing', {}],
  ['Answered', { route: `GET ${POSTS}/{post_id}` }],
  ['Answered', { route: 'POST /v1/webhooks/{slug}/temp-pause', post_id: null }],
  ['Planned post changed', { route: `PATCH ${POSTS}/{id}` }],
  ['Planned post changed', { route: `PUT ${POSTS}/{id}` }],
  ['Post cancelled', { route: `DELETE ${POSTS}/{id}` }],
])('says of an accepted request: %s (%j)', (short, request) => expect(explain(request)).toBe(short));

it.each([
  ['already_released', 'Change to a post that was already released'],
  ['post_ended', 'Change to a cancelled or rejected post'],
  ['revision_mismatch', 'Another change came first'],
  ['publishing', 'Cancelled while it was being sent'],
])('explains a change that was refused: %s', (reason, short) =>
  expect(explain({ route: `PATCH ${POSTS}/{id}`, decision: 'rejected_validation', reason })).toBe(short),
);

it('explains the budget of changes', () => {
  const why = { figures: { per_minute: 60, retry_after_seconds: 5 } } as unknown as LoggedRequest['why'];
  expect(explain({ decision: 'rejected_rate_limit', reason: 'changes', why })).toMatch(/^More than 60 requests/);
});
