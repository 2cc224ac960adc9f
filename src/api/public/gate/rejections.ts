import type { LimitsProfile } from '../../../config/limits-profile.js';
import { iso } from '../../../kernel/instant.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { LimitReason, Verdict } from '../../../limits/limiter.js';
import type { ProbeVerdict } from '../../../limits/probe-budget.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import type { PostsLeft } from '../../../domain/owner/monthly-quota.js';
import { HttpProblem } from '../../transport/http-problem.js';
import type { ReceivedBody } from '../../transport/body-reader.js';
import { GateRejection } from './gate-rejection.js';
import type { EntryPoint } from './gate-request.js';

// The gate's rejections, in the order of D-7.

const explain = (rule: string, figures: JsonObject = {}, event_id: string | null = null): JsonObject => ({
  rule,
  figures,
  event_id,
});

/**
 * Rejects a request under planned maintenance (publish-api.md: Request-log decisions).
 * @param endpoint null if it could not be found; its token was not checked
 */
export const maintenanceRejection = (endpoint: EndpointSnapshot | null): GateRejection => {
  const message = 'The service is under maintenance. Send the same request again later.';
  const problem = HttpProblem.withMessage(503, 'maintenance', message, { 'retry-after': '60' });
  return new GateRejection(endpoint, 'rejected_disabled', 'maintenance', problem);
};

/** Returns the only 401: body and headers are the same for every cause (publish-api.md: Authentication, 8). */
export const unauthorizedRejection = (endpoint: EndpointSnapshot | null, cause: string): GateRejection =>
  new GateRejection(endpoint, 'rejected_auth', cause, HttpProblem.withMessage(401, 'unauthorized', 'Unauthorized.'));

/**
 * Rejects a request to a disabled endpoint: 403 if its owner disabled it, 503 if the rate limits or the plan did (D-8); null
 * if it is enabled. The sandbox is open to every plan and has limits of its own: it is closed only by the owner.
 */
export const disabledRejection = (endpoint: EndpointSnapshot, entryPoint: EntryPoint): GateRejection | null => {
  if (entryPoint === 'sandbox' && endpoint.disabled_by !== 'owner') return null;
  switch (endpoint.disabled_by) {
    case 'owner': {
      const message = 'The endpoint is disabled. Enable it over the management API, or ask its owner.';
      const problem = HttpProblem.withMessage(403, 'endpoint_disabled', message);
      const reason = 'disabled_by_owner';
      return new GateRejection(
        endpoint,
        'rejected_paused',
        reason,
        problem,
        explain(reason, {}, endpoint.disabled_event),
      );
    }
    case 'rate_limits':
      return violationsRejection(endpoint, endpoint.disabled_event);
    case 'plan':
      return planRejection(endpoint);
    case null:
      return null;
  }
};

/** Rejects a request to an endpoint that repeated violations disabled (D-8). @param eventId the event, if it is known */
export const violationsRejection = (endpoint: EndpointSnapshot, eventId: string | null): GateRejection => {
  const message = 'The endpoint was disabled after repeated rate-limit violations. Its owner has to enable it again.';
  const problem = HttpProblem.withMessage(503, 'endpoint_paused', message);
  const reason = 'disabled_by_rate_limits';
  return new GateRejection(endpoint, 'rejected_paused', reason, problem, explain(reason, {}, eventId));
};

/** Rejects a request because the plan does not allow webhook input, or no longer does (D-8). */
export const planRejection = (endpoint: EndpointSnapshot): GateRejection => {
  const message = 'The plan does not allow posting through webhooks. Upgrade the plan, then enable the endpoint again.';
  const problem = HttpProblem.withMessage(503, 'plan_not_allowed', message);
  const reason = 'plan_without_input';
  const because = explain(reason, { plan: endpoint.plan }, endpoint.disabled_event);
  return new GateRejection(endpoint, 'rejected_tier', reason, problem, because);
};

/**
 * Rejects every media type but `application/json`; null for that one. A charset has to be utf-8; other parameters are ignored
 * (D-43). @param contentType as it was sent
 */
export const mediaTypeRejection = (
  endpoint: EndpointSnapshot,
  contentType: string | undefined,
): GateRejection | null => {
  if (contentType === 'application/json') return null; // as nearly all clients send it
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  if (type === 'application/json' && isUtf8) return null;
  const shown = contentType === undefined ? 'none' : `"${contentType.slice(0, 100)}"`;
  const reason = 'unsupported_media_type';
  const problem = HttpProblem.withMessage(415, reason, `Content-Type is ${shown}: send application/json, in UTF-8.`);
  const figures = { content_type: contentType?.slice(0, 100) ?? null };
  return new GateRejection(endpoint, 'rejected_validation', reason, problem, explain(reason, figures));
};

/** Rejects a post because the owner's monthly quota is used up (D-18). */
export const quotaRejection = (endpoint: EndpointSnapshot, { used, resetsAt, lastEvent }: PostsLeft): GateRejection => {
  const at = iso(resetsAt);
  const message = `The plan's monthly quota of posts is used up. Buy a post pack, or send the post again from ${at}.`;
  const reason = 'monthly_quota';
  const because = explain(reason, { plan: endpoint.plan, used, left: 0, resets_at: at }, lastEvent);
  return new GateRejection(
    endpoint,
    'rejected_tier',
    reason,
    HttpProblem.withMessage(402, 'quota_exhausted', message),
    because,
  );
};

/**
 * The exceeded limit, as the client reads it. The exact limits are in the owner's log alone (publish-api.md: info, 3).
 */
const EXCEEDED: Readonly<Record<LimitReason, string>> = {
  min_interval: 'The interval since the last accepted post to this endpoint is too short',
  burst: 'Too many posts to this endpoint within a short time',
  hourly_quota: 'The hourly quota of posts is used up',
  discovery: 'Too many discovery requests within a minute',
  pauses: 'Too many pause and resume requests within a minute',
  replays: 'Too many repetitions of accepted posts within a minute',
  sandbox: "The day's quota of sandbox requests is used up",
};

/** Rejects a request that exceeds a rate limit (D-16, D-17). */
export const rateLimitRejection = (
  endpoint: EndpointSnapshot,
  { reason, retryAfter, violations }: Extract<Verdict, { readonly outcome: 'rejected' }>,
  profile: LimitsProfile,
): GateRejection => {
  const message = `${EXCEEDED[reason]}: send the request again in ${retryAfter} s.`;
  const problem = HttpProblem.withMessage(429, 'rate_limited', message, { 'retry-after': String(retryAfter) });
  const figures = {
    ...describeLimit(reason, endpoint, profile),
    retry_after_seconds: retryAfter,
    violations,
    violations_to_disable: profile.violationsToDisable,
  };
  return new GateRejection(endpoint, 'rejected_rate_limit', reason, problem, explain(reason, figures));
};

const describeLimit = (reason: LimitReason, endpoint: EndpointSnapshot, profile: LimitsProfile): JsonObject => {
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

/** Rejects a request whose media, or whose translations in the sandbox, the probe budget does not cover: no violation (D-51). */
export const probeBudgetRejection = (
  endpoint: EndpointSnapshot,
  { retryAfter, scope }: Extract<ProbeVerdict, { readonly outcome: 'refused' }>,
  { probesPerMinute, probeBytesPerMinute }: LimitsProfile,
): GateRejection => {
  const whose = scope === 'endpoint' ? "this endpoint's" : "this owner's";
  const message = `Too much was fetched for ${whose} requests within a minute, to check media or to translate: send the request again in ${retryAfter} s.`;
  const reason = 'probe_budget';
  const problem = HttpProblem.withMessage(429, reason, message, { 'retry-after': String(retryAfter) });
  const figures = {
    scope,
    probes_per_minute: probesPerMinute,
    probe_bytes_per_minute: probeBytesPerMinute,
    retry_after_seconds: retryAfter,
  };
  return new GateRejection(endpoint, 'rejected_rate_limit', reason, problem, explain(reason, figures));
};

/** Rejects a request for its body: its transfer, or its content (D-5, D-43). */
export const bodyRejection = (endpoint: EndpointSnapshot, problem: HttpProblem): GateRejection => {
  const [first] = problem.problems;
  const reason = first?.code ?? problem.code;
  const because = explain(reason, { problems: problem.problems.length, first: first?.path ?? '' });
  return new GateRejection(endpoint, 'rejected_validation', reason, problem, because);
};

/** Rejects a body that ended early: it was never sent as a whole. An oversized one is reported later. @throws GateRejection */
export const requireWholeBody = (endpoint: EndpointSnapshot, body: ReceivedBody): ReceivedBody => {
  if (!body.ok && body.problem.code !== 'body_too_large') throw bodyRejection(endpoint, body.problem);
  return body;
};

/** Returns the 503 of a request whose endpoint changed at each attempt to verify it. */
export const unstableEndpoint = (): HttpProblem =>
  HttpProblem.withMessage(503, 'unavailable', 'The endpoint is being changed. Send the same request again.', {
    'retry-after': '1',
  });
