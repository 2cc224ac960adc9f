import type { Api } from '../../api/management.js';
import type { IconName, Tone } from '../../components/icon.js';
import type { Format } from '../../i18n/format.js';
import type { reasonMessages } from './reason-messages.js';

export type LoggedRequest = Api<'Request'>;

/** Type of response, as shown in the filters and the strip. */
export type Kind = 'accepted' | 'replay' | 'unauthorized' | 'invalid' | 'tooMany' | 'disabled';

export const KINDS: readonly Kind[] = ['accepted', 'replay', 'unauthorized', 'invalid', 'tooMany', 'disabled'];

const KIND_OF_DECISION: Readonly<Record<string, Kind>> = {
  accepted: 'accepted',
  accepted_no_project: 'accepted',
  accepted_idempotent_replay: 'replay',
  rejected_auth: 'unauthorized',
  rejected_validation: 'invalid',
  rejected_rate_limit: 'tooMany',
  rejected_paused: 'disabled',
  rejected_tier: 'disabled',
  rejected_disabled: 'disabled',
};

/** Returns the type of response that a request got. */
export const kindOf = ({ decision }: Pick<LoggedRequest, 'decision'>): Kind => KIND_OF_DECISION[decision] ?? 'invalid';

/** Icon and colour of each type of response. */
export const KIND_LOOKS: Readonly<Record<Kind, { readonly name: IconName; readonly tone: Tone }>> = {
  accepted: { name: 'published', tone: 'ok' },
  replay: { name: 'retrying', tone: 'idle' },
  unauthorized: { name: 'failed', tone: 'fail' },
  invalid: { name: 'failed', tone: 'fail' },
  tooMany: { name: 'slowed', tone: 'warn' },
  disabled: { name: 'switchedOff', tone: 'idle' },
};

/** The figures behind a decision, by their API names. */
export type Figures = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Returns the figures behind the decision on a request; empty if there are none. */
export const figuresOf = ({ why }: Pick<LoggedRequest, 'why'>): Figures => {
  const figures = (why as { readonly figures?: unknown } | null)?.figures;
  return typeof figures === 'object' && figures !== null ? (figures as Figures) : {};
};

/** Explanation of a response: in a few words, in full, and what to do about it. */
export interface Explanation {
  /** A few words, for the table. */
  readonly short: string;
  readonly title: string;
  readonly text: string;
  /** Ways to fix the problem; empty if there is no problem. */
  readonly remedies: readonly Remedy[];
}

/** One way to fix a problem. */
export interface Remedy {
  readonly text: string;
  /** True if a link to the endpoint's settings should follow the text. */
  readonly isInSettings?: boolean;
}

/** Returns what an accepted request did. */
const acceptedAs = ({ route, post_id: post }: LoggedRequest): 'accepted' | 'answered' | 'cancelled' | 'changed' => {
  if (/^(PATCH|PUT) /.test(route)) return 'changed';
  if (route.startsWith('DELETE ')) return 'cancelled';
  return post === null || route.startsWith('GET ') ? 'answered' : 'accepted';
};

type Texts = (typeof reasonMessages)['en'];

/** Explains the response to a request. */
export const explainRequest = (request: LoggedRequest, m: Texts, format: Format): Explanation => {
  const figures = figuresOf(request);
  const number = (name: string): number => Number(figures[name] ?? 0);
  const inSettings = (text: string): Remedy => ({ text, isInSettings: true });
  const plain = (text: string): Remedy => ({ text });
  const seconds = (value: number): string => format.duration(Math.abs(value) * 1000);
  const waited = plain(m.waitFor(seconds(number('retry_after_seconds'))));
  const explain = (of: { short: string; title: string; text: string }, ...remedies: Remedy[]): Explanation => ({
    ...of,
    remedies,
  });

  switch (request.reason ?? request.decision) {
    case 'accepted':
      return explain(m[acceptedAs(request)]);
    case 'accepted_no_project':
      return explain(m.noProject, inSettings(m.addProject));
    case 'accepted_idempotent_replay':
      return explain(m.replay);
    case 'payload_mismatch':
      return explain(m.mismatch, plain(m.newKey));
    case 'bad_token':
      return explain(m.badToken, plain(m.checkToken), inSettings(m.replaceToken));
    case 'test_token':
      return explain(m.testToken, plain(m.useLive));
    case 'ip_not_allowed':
      return explain(m.ipNotAllowed(request.ip), inSettings(m.allowAddress(request.ip)), plain(m.checkProxy));
    case 'bad_timestamp':
      return figures.skew_seconds === null
        ? explain(m.noTimestamp, plain(m.sendTimestamp), inSettings(m.dropTimestamp))
        : explain(
            number('skew_seconds') < 0
              ? m.clockBehind(seconds(number('skew_seconds')))
              : m.clockAhead(seconds(number('skew_seconds'))),
            plain(m.setClock(request.ip)),
            inSettings(m.dropTimestamp),
          );
    case 'signature_missing':
      return explain(m.signatureMissing, plain(m.sendSignature), inSettings(m.dropSignature));
    case 'bad_signature':
      return explain(m.badSignature, plain(m.signExactBytes), inSettings(m.replaceSecret));
    case 'body_withheld':
      return explain(m.bodyWithheld, plain(m.sendBody));
    case 'min_interval':
      return explain(m.minInterval(seconds(number('min_interval_seconds'))), waited, inSettings(m.changeInterval));
    case 'burst':
      return explain(m.burst(number('requests'), seconds(number('per_seconds'))), waited);
    case 'hourly_quota':
      return explain(m.hourly(number('per_hour')), waited, plain(m.betterPlan));
    case 'changes':
    case 'discovery':
    case 'pauses':
    case 'replays':
      return explain(m.perMinute(number('per_minute')), waited);
    case 'sandbox':
      return explain(m.sandbox(number('per_day')), waited);
    case 'probe_budget':
      return explain(m.probeBudget, waited);
    case 'disabled_by_owner':
      return explain(m.disabledByOwner, inSettings(m.enable));
    case 'disabled_by_rate_limits':
      return explain(m.disabledByLimits, inSettings(m.enable), plain(m.slowDown));
    case 'plan_without_input':
      return explain(m.planWithoutInput, plain(m.betterPlan));
    case 'monthly_quota':
      return explain(m.monthlyQuota(format.number(number('used'))), plain(m.betterPlan));
    case 'maintenance':
      return explain(m.maintenance, plain(m.retryLater));
    case 'unsupported_media_type':
      return explain(m.mediaType(String(figures.content_type ?? m.none)), plain(m.sendJson));
    case 'body_too_large':
      return explain(m.tooLarge(format.bytes(request.payload_bytes)), plain(m.shorten));
    case 'invalid_targets':
      return explain(m.invalidTargets, inSettings(m.seeTargets));
    case 'too_many_targets':
      return explain(m.tooManyTargets(number('targets'), number('targets_per_post')), plain(m.fewerTargets));
    case 'already_released':
      return explain(m.alreadyReleased, plain(m.cancelOrSend));
    case 'post_ended':
      return explain(m.postEnded, plain(m.sendNew));
    case 'revision_mismatch':
      return explain(m.revisionMismatch, plain(m.readAgain));
    case 'publishing':
      return explain(m.publishing, plain(m.retryLater));
    case 'post_not_found':
      return explain(m.postNotFound, plain(m.checkPostId));
    default:
      return explain(
        m.invalid(String(request.reason ?? request.decision), number('problems'), String(figures.first ?? '')),
        plain(m.readErrors),
      );
  }
};
