import type { LimitsProfile } from '../../../config/limits-profile.js';
import { iso } from '../../../kernel/instant.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { LimitReason, Verdict } from '../../../limits/limiter.js';
import type { EndpointAccess } from '../../../projections/discovery/endpoint-access.queries.js';
import type { PostsLeft } from '../../../projections/posts/usage.queries.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { Refusal } from './refusal.js';
import type { Door } from './gate-request.js';

// What the gate says when it turns a request away, in the order of D-7.

const why = (rule: string, figures: JsonObject = {}, event_id: string | null = null): JsonObject => ({
  rule,
  figures,
  event_id,
});

/** Planned work (publish-api.md: Request-log decisions). @param endpoint as far as it is known: nobody was asked for a token */
export const underMaintenance = (endpoint: EndpointAccess | null): Refusal => {
  const message = 'The service is under maintenance. Send the same request again later.';
  const problem = HttpProblem.of(503, 'maintenance', message, { 'retry-after': '60' });
  return new Refusal(endpoint, 'rejected_disabled', 'maintenance', problem);
};

/** The one 401 there is: the same body and headers for every cause (publish-api.md: Authentication, 8). */
export const unauthorized = (endpoint: EndpointAccess | null, cause: string): Refusal =>
  new Refusal(endpoint, 'rejected_auth', cause, HttpProblem.of(401, 'unauthorized', 'Unauthorized.'));

/**
 * Where an endpoint is off: 403 by its owner, 503 by the rate limits or the plan (D-8); null where it is on. The sandbox
 * is for every plan and has limits of its own: there its owner's word alone counts.
 */
export const switchedOff = (endpoint: EndpointAccess, door: Door): Refusal | null => {
  if (door === 'sandbox' && endpoint.disabled_by !== 'owner') return null;
  switch (endpoint.disabled_by) {
    case 'owner': {
      const message = 'The endpoint is switched off. Switch it on in the console, or ask its owner.';
      const problem = HttpProblem.of(403, 'endpoint_disabled', message);
      const reason = 'disabled_by_owner';
      return new Refusal(endpoint, 'rejected_paused', reason, problem, why(reason, {}, endpoint.disabled_event));
    }
    case 'rate_limits':
      return pausedByViolations(endpoint, endpoint.disabled_event);
    case 'plan':
      return withoutInput(endpoint);
    case null:
      return null;
  }
};

/** Switched off after repeated violations (D-8). @param eventId the event that says so, where it is known */
export const pausedByViolations = (endpoint: EndpointAccess, eventId: string | null): Refusal => {
  const message =
    'The endpoint was switched off after repeated rate-limit violations. Its owner has to switch it on again.';
  const problem = HttpProblem.of(503, 'endpoint_paused', message);
  const reason = 'disabled_by_rate_limits';
  return new Refusal(endpoint, 'rejected_paused', reason, problem, why(reason, {}, eventId));
};

/** The plan does not allow webhook input, or no longer (D-8). */
export const withoutInput = (endpoint: EndpointAccess): Refusal => {
  const message =
    'The plan does not allow posting through webhooks. Upgrade the plan, then switch the endpoint on again.';
  const problem = HttpProblem.of(503, 'plan_not_allowed', message);
  const reason = 'plan_without_input';
  const because = why(reason, { plan: endpoint.plan }, endpoint.disabled_event);
  return new Refusal(endpoint, 'rejected_tier', reason, problem, because);
};

/**
 * Null for `application/json`; a charset, where one is given, is utf-8; other parameters are ignored (D-43).
 * @param contentType as it was sent
 */
export const unsuitableMediaType = (endpoint: EndpointAccess, contentType: string | undefined): Refusal | null => {
  if (contentType === 'application/json') return null; // as nearly all send it
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  if (type === 'application/json' && isUtf8) return null;
  const shown = contentType === undefined ? 'none' : `"${contentType.slice(0, 100)}"`;
  const reason = 'unsupported_media_type';
  const problem = HttpProblem.of(415, reason, `Content-Type is ${shown}: send application/json, in UTF-8.`);
  const figures = { content_type: contentType?.slice(0, 100) ?? null };
  return new Refusal(endpoint, 'rejected_validation', reason, problem, why(reason, figures));
};

/** The owner's month is used up (D-18). */
export const monthUsedUp = (endpoint: EndpointAccess, { used, resetsAt, lastEvent }: PostsLeft): Refusal => {
  const at = iso(resetsAt);
  const message = `The plan's posts of this month are used up. Buy a post pack, or send the post again from ${at}.`;
  const reason = 'monthly_quota';
  const because = why(reason, { plan: endpoint.plan, used, left: 0, resets_at: at }, lastEvent);
  return new Refusal(endpoint, 'rejected_tier', reason, HttpProblem.of(402, 'quota_exhausted', message), because);
};

/** What a client is told is exceeded; the exact limits are not for it (publish-api.md: info, 3), the owner's log has them. */
const EXCEEDED: Readonly<Record<LimitReason, string>> = {
  min_interval: 'The last post to this endpoint was accepted too short a time ago',
  burst: 'Too many posts to this endpoint at once',
  hourly_quota: 'The posts of this hour are used up',
  discovery: 'Too many requests for information within a minute',
  pauses: 'Too many pauses and resumptions within a minute',
  replays: 'Too many repeats of posts that were accepted before within a minute',
  sandbox: "The sandbox's tries of this day are used up",
};

/** A rate limit is exceeded (D-16, D-17). */
export const limitExceeded = (
  endpoint: EndpointAccess,
  { reason, retryAfter, violations }: Extract<Verdict, { readonly outcome: 'refused' }>,
  profile: LimitsProfile,
): Refusal => {
  const message = `${EXCEEDED[reason]}: send the request again in ${retryAfter} s.`;
  const problem = HttpProblem.of(429, 'rate_limited', message, { 'retry-after': String(retryAfter) });
  const figures = {
    ...figuresOf(reason, endpoint, profile),
    retry_after_seconds: retryAfter,
    violations,
    violations_to_disable: profile.violationsToDisable,
  };
  return new Refusal(endpoint, 'rejected_rate_limit', reason, problem, why(reason, figures));
};

const figuresOf = (reason: LimitReason, endpoint: EndpointAccess, profile: LimitsProfile): JsonObject => {
  const plan = profile.plans[endpoint.plan];
  switch (reason) {
    case 'min_interval':
      return { min_interval_seconds: endpoint.min_interval };
    case 'burst':
      return { requests: plan.burst!.requests, per_seconds: plan.burst!.perSeconds };
    case 'hourly_quota':
      return { per_hour: plan.hourly };
    case 'discovery':
      return { per_minute: profile.discoveryPerMinute };
    case 'pauses':
      return { per_minute: profile.pausesPerMinute };
    case 'replays':
      return { per_minute: profile.replaysPerMinute };
    case 'sandbox':
      return { per_day: plan.sandboxDaily };
  }
};

/** The body, as a whole, or what it says (D-5, D-43). */
export const invalidBody = (endpoint: EndpointAccess, problem: HttpProblem): Refusal => {
  const [first] = problem.problems;
  const reason = first?.code ?? problem.code;
  const because = why(reason, { problems: problem.problems.length, first: first?.path ?? '' });
  return new Refusal(endpoint, 'rejected_validation', reason, problem, because);
};
