import type { LimitsProfile } from '../../../config/limits-profile.js';
import type { PostsLeft } from '../../../domain/owner/monthly-quota.js';
import { iso } from '../../../kernel/clock.js';
import type { JsonObject } from '../../../kernel/ids.js';
import { RESOURCE_MESSAGES } from '../../../kernel/messages.js';
import type { Rejection } from '../../../kernel/result.js';
import type { RefusedPayment } from '../../../limits/budgets.js';
import type { LimitReason, Verdict } from '../../../limits/limiter.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import type { ReceivedBody } from '../../transport/body-reader.js';
import { HttpProblem, unknownMediaProblem } from '../../transport/problem.view.js';
import { GATE_MESSAGES, RATE_LIMIT_MESSAGES as MESSAGES } from '../messages.js';
import { type EntryPoint, GateRejection } from './gate-request.js';

// The gate's rejections, in the order of D-7.

/**
 * Rejects a request during planned maintenance (publish-api.md: Request-log decisions).
 * @param endpoint null if it could not be found; its token was not checked
 */
export const maintenanceRejection = (endpoint: EndpointSnapshot | null): GateRejection => {
  const problem = HttpProblem.withRetryAfter(60, 503, 'maintenance', GATE_MESSAGES.maintenance);
  return new GateRejection(endpoint, 'rejected_disabled', problem);
};

/**
 * Returns the 401, with the same body and headers whatever the cause. Only the log shows the cause (publish-api.md:
 * Authentication, 8).
 * @param skew the client's time minus the server's, in seconds; null if the client sent none
 */
export const unauthorizedRejection = (
  endpoint: EndpointSnapshot | null,
  reason: string,
  skew: number | null,
): GateRejection => {
  const problem = HttpProblem.withMessage(401, 'unauthorized', GATE_MESSAGES.unauthorized);
  const figures = reason === 'bad_timestamp' ? { skew_seconds: skew } : {};
  return new GateRejection(endpoint, 'rejected_auth', problem, { reason, figures });
};

/** Rejects a request by an owner or the operator to an endpoint that was deleted a moment ago. */
export const endpointNotFoundRejection = (): GateRejection => {
  const problem = HttpProblem.withMessage(404, 'not_found', RESOURCE_MESSAGES.notFound({ what: 'endpoint' }));
  return new GateRejection(null, 'rejected_auth', problem, { reason: 'unknown_endpoint' });
};

/** Rejects a post by an owner or the operator to a test endpoint, which only works in the sandbox (D-12). */
export const testEndpointRejection = (endpoint: EndpointSnapshot): GateRejection => {
  const problem = HttpProblem.withMessage(403, 'test_endpoint', GATE_MESSAGES.testEndpoint);
  return new GateRejection(endpoint, 'rejected_auth', problem);
};

/**
 * Returns the API call that enables an endpoint (D-52). The call requires the owner's or operator's key, so revealing
 * the endpoint's id to the token holder is safe.
 */
const sayHowToEnable = ({ endpoint_id }: EndpointSnapshot): string => GATE_MESSAGES.enableEndpoint({ id: endpoint_id });

/**
 * Rejects a request to a disabled endpoint: 403 if its owner disabled it, 503 if the rate limits or the plan did (D-8);
 * null if it is enabled. The sandbox is open to every plan and has its own limits: only the owner can close it.
 */
export const disabledRejection = (
  endpoint: EndpointSnapshot,
  entryPoint: EntryPoint,
  { plans }: LimitsProfile,
): GateRejection | null => {
  if (entryPoint === 'sandbox' && endpoint.disabled_by !== 'owner') return null;
  switch (endpoint.disabled_by) {
    case 'owner': {
      const message = GATE_MESSAGES.disabledByOwner({ remedy: sayHowToEnable(endpoint) });
      const problem = HttpProblem.withMessage(403, 'endpoint_disabled', message);
      const cause = { reason: 'disabled_by_owner', eventId: endpoint.disabled_event };
      return new GateRejection(endpoint, 'rejected_paused', problem, cause);
    }
    case 'rate_limits':
      return violationsRejection(endpoint, endpoint.disabled_event);
    case 'plan':
      return planRejection(endpoint, plans[endpoint.plan].webhookInput);
    case null:
      return null;
  }
};

/**
 * Rejects a request to an endpoint that was disabled after repeated violations of limits (D-8).
 * @param eventId id of the event that disabled it, if known
 */
export const violationsRejection = (endpoint: EndpointSnapshot, eventId: string | null): GateRejection => {
  const message = GATE_MESSAGES.disabledByLimits({ remedy: sayHowToEnable(endpoint) });
  const problem = HttpProblem.withMessage(503, 'endpoint_paused', message);
  return new GateRejection(endpoint, 'rejected_paused', problem, { reason: 'disabled_by_rate_limits', eventId });
};

/**
 * Rejects a request because the plan does not allow webhook input, or no longer does (D-8).
 * @param hasInput whether the current plan allows it: an upgrade alone does not enable the endpoint
 */
export const planRejection = (endpoint: EndpointSnapshot, hasInput: boolean): GateRejection => {
  const say = hasInput ? GATE_MESSAGES.disabledByEarlierPlan : GATE_MESSAGES.planWithoutInput;
  const problem = HttpProblem.withMessage(503, 'plan_not_allowed', say({ remedy: sayHowToEnable(endpoint) }));
  return new GateRejection(endpoint, 'rejected_tier', problem, {
    reason: 'plan_without_input',
    figures: { plan: endpoint.plan },
    eventId: endpoint.disabled_event,
  });
};

/**
 * Rejects every media type except `application/json`; null if it is accepted. A charset must be utf-8; other parameters
 * are ignored (D-43).
 */
export const mediaTypeRejection = (
  endpoint: EndpointSnapshot,
  contentType: string | undefined,
): GateRejection | null => {
  if (contentType === 'application/json') return null; // the exact value that nearly all clients send
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  if (type === 'application/json' && isUtf8) return null;
  const sent = contentType?.slice(0, 100);
  const message = GATE_MESSAGES.mediaType({ type: sent === undefined ? 'none' : `"${sent}"` });
  const problem = HttpProblem.withMessage(415, 'unsupported_media_type', message);
  return new GateRejection(endpoint, 'rejected_validation', problem, { figures: { content_type: sent ?? null } });
};

/** Rejects a post because the owner's monthly quota is used up (D-18). */
export const quotaRejection = (endpoint: EndpointSnapshot, { used, resetsAt, lastEvent }: PostsLeft): GateRejection => {
  const at = iso(resetsAt);
  const problem = HttpProblem.withMessage(402, 'quota_exhausted', GATE_MESSAGES.monthlyQuota({ at }));
  return new GateRejection(endpoint, 'rejected_tier', problem, {
    reason: 'monthly_quota',
    figures: { plan: endpoint.plan, used, left: 0, resets_at: at },
    eventId: lastEvent,
  });
};

/** Rejects a request that exceeds a rate limit (D-16, D-17). */
export const rateLimitRejection = (
  endpoint: EndpointSnapshot,
  { reason, retryAfter, violations }: Extract<Verdict, { readonly outcome: 'rejected' }>,
  profile: LimitsProfile,
): GateRejection => {
  const message = describeExceeded(reason, retryAfter, endpoint);
  const problem = HttpProblem.withRetryAfter(retryAfter, 429, 'rate_limited', message);
  const figures = {
    ...describeLimit(reason, endpoint, profile),
    retry_after_seconds: retryAfter,
    violations,
    violations_to_disable: profile.violationsToDisable,
  };
  return new GateRejection(endpoint, 'rejected_rate_limit', problem, { reason, figures });
};

/**
 * Describes the exceeded limit. The numbers behind a plan's limits appear only in the owner's log (publish-api.md:
 * info, 3), but the minimum interval is the endpoint's own setting.
 */
const describeExceeded = (reason: LimitReason, seconds: number, { min_interval }: EndpointSnapshot): string => {
  if (reason !== 'min_interval') return MESSAGES.exceeded[reason]({ seconds });
  const interval = min_interval === 1 ? MESSAGES.perSecond : MESSAGES.everySeconds({ seconds: min_interval });
  return MESSAGES.exceeded.min_interval({ interval, seconds });
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
    case 'sandbox':
      return { per_day: plan.sandboxDaily };
    case 'discovery':
      return { per_minute: profile.discoveryPerMinute };
    case 'changes':
      return { per_minute: profile.changesPerMinute };
    case 'pauses':
      return { per_minute: profile.pausesPerMinute };
    case 'replays':
      return { per_minute: profile.replaysPerMinute };
  }
};

/**
 * Rejects a request because the probe budget does not cover its media or its sandbox translations. This is not a
 * violation (D-51).
 */
export const probeBudgetRejection = (
  endpoint: EndpointSnapshot,
  { retryAfter, scope }: RefusedPayment,
  { probesPerMinute, probeBytesPerMinute }: LimitsProfile,
): GateRejection => {
  const problem = probeBudgetProblem(scope === 'endpoint' ? MESSAGES.ofEndpoint : MESSAGES.ofOwner, retryAfter);
  const figures = {
    scope,
    probes_per_minute: probesPerMinute,
    probe_bytes_per_minute: probeBytesPerMinute,
    retry_after_seconds: retryAfter,
  };
  return new GateRejection(endpoint, 'rejected_rate_limit', problem, { figures });
};

/** Returns the problem for a preview of project processing whose translations exceed the probe budget (D-51). */
export const projectBudgetProblem = ({ retryAfter, scope }: RefusedPayment): HttpProblem =>
  probeBudgetProblem(scope === 'endpoint' ? MESSAGES.ofProject : MESSAGES.ofOwner, retryAfter);

const probeBudgetProblem = (whose: string, seconds: number): HttpProblem =>
  HttpProblem.withRetryAfter(seconds, 429, 'probe_budget', MESSAGES.probeBudget({ whose, seconds }));

/** Rejects a sandbox request because the owner's preview budget is used up. This is not a violation (ADR-209). */
export const previewBudgetRejection = (
  endpoint: EndpointSnapshot,
  retryAfter: number,
  { previewMsPerMinute }: LimitsProfile,
): GateRejection => {
  const figures = { preview_ms_per_minute: previewMsPerMinute, retry_after_seconds: retryAfter };
  return new GateRejection(endpoint, 'rejected_rate_limit', previewBudgetProblem(retryAfter), { figures });
};

/** Returns the problem for a preview whose owner has used up the preview budget. */
export const previewBudgetProblem = (seconds: number): HttpProblem =>
  HttpProblem.withRetryAfter(seconds, 429, 'preview_budget', MESSAGES.previewBudget({ seconds }));

/** Rejects a request with an incomplete, oversized or invalid body (D-5, D-43). */
export const bodyRejection = (endpoint: EndpointSnapshot, problem: HttpProblem): GateRejection => {
  const [first] = problem.problems;
  const figures = { problems: problem.problems.length, first: first?.path ?? '' };
  return new GateRejection(endpoint, 'rejected_validation', problem, { reason: first?.code ?? problem.code, figures });
};

/** Rejects a request if none of its targets belongs to the endpoint, or if it has too many targets (D-67). */
export const targetsRejection = (
  endpoint: EndpointSnapshot,
  { rejection: code, message, figures }: Rejection,
): GateRejection => {
  const problem = new HttpProblem(422, code, [{ path: 'targets', code, message }]);
  return new GateRejection(endpoint, 'rejected_validation', problem, { figures });
};

/**
 * Rejects a post that could not be accepted: the owner has as many planned posts as its plan allows (D-79), or an upload
 * was deleted a moment ago (D-90).
 */
export const acceptanceRejection = (
  endpoint: EndpointSnapshot,
  { rejection: code, message, figures }: Rejection,
): GateRejection => {
  if (code === 'unknown_media') return bodyRejection(endpoint, unknownMediaProblem(message));
  const problem = new HttpProblem(402, code, [{ path: '', code, message }], {}, figures);
  return new GateRejection(endpoint, 'rejected_tier', problem, { reason: 'planned_posts', figures });
};

/** Rejects a request about a post that the endpoint did not accept, whether or not another endpoint did (D-48). */
export const postNotFoundRejection = (endpoint: EndpointSnapshot): GateRejection => {
  const problem = HttpProblem.withMessage(404, 'not_found', GATE_MESSAGES.postNotFound);
  return new GateRejection(endpoint, 'rejected_validation', problem, { reason: 'post_not_found' });
};

/** Rejects a change of a published post, because the endpoint's owner does not allow clients to make any (D-74). */
export const changesNotAllowedRejection = (endpoint: EndpointSnapshot): GateRejection => {
  const message = GATE_MESSAGES.changesNotAllowed({ id: endpoint.endpoint_id });
  const problem = HttpProblem.withMessage(403, 'changes_not_allowed', message);
  return new GateRejection(endpoint, 'rejected_validation', problem);
};

/** Rejects a change because of the post's state (D-63). */
export const changeRejection = (
  endpoint: EndpointSnapshot,
  { rejection: code, message, figures }: Rejection,
): GateRejection => {
  if (code === 'unknown_media') return bodyRejection(endpoint, unknownMediaProblem(message));
  const problem = HttpProblem.withMessage(code === 'revision_mismatch' ? 412 : 409, code, message);
  return new GateRejection(endpoint, 'rejected_validation', problem, { figures });
};

/** Rejects a body that ended early. An oversized body is reported later. @throws GateRejection */
export const requireWholeBody = (endpoint: EndpointSnapshot, body: ReceivedBody): ReceivedBody => {
  if (!body.ok && body.problem.code !== 'body_too_large') throw bodyRejection(endpoint, body.problem);
  return body;
};

/** Returns the 503 for a request whose endpoint changed on every attempt to verify it. */
export const unstableEndpoint = (): HttpProblem =>
  HttpProblem.withRetryAfter(1, 503, 'unavailable', GATE_MESSAGES.endpointChanging);
