import { isoOrNull } from '../../../kernel/clock.js';
import type { JsonObject } from '../../../kernel/ids.js';
import type { Plan } from '../../../payload/publish-at.js';
import { describeUnknownField, findUnknownFields } from '../../../payload/unknown-fields.js';
import type { Sent } from '../../../validation/check-fields.js';
import { joinPath, quoteShort } from '../../../validation/wording.js';
import { type HttpProblem, ProblemView } from '../../transport/problem.view.js';
import type { CanView } from '../change.views.js';
import { PAYLOAD_WARNINGS } from '../messages.js';
import type { CheckedLists } from '../payload-check.js';

/** The result of a check; `not_checked` if the body could not be read that far. */
export type CheckResult = 'passed' | 'failed' | 'not_checked';

/** What a payload says about a media file. */
export interface SentMedium {
  readonly url?: string | undefined;
  readonly id?: string | undefined;
}

/** A media file in the payload, as far as it was probed. */
export class SandboxMediumView {
  /** Absent for an uploaded file. */
  readonly url?: string;
  /** The id of an uploaded file. */
  readonly id?: string;
  /** Size in units of 1,048,576 bytes (D-43); null if unknown. */
  readonly size_mb: number | null;
  /** False if the file has a problem. */
  readonly ok: boolean;
  /** The reason why the file could not be fully probed, which is not an error (D-24). */
  readonly note?: string;

  constructor({ url, id }: SentMedium, sizeMb: number | null, ok: boolean, note?: string) {
    if (id !== undefined) this.id = id;
    else if (url !== undefined) this.url = url;
    this.size_mb = sizeMb;
    this.ok = ok;
    if (note !== undefined) this.note = note;
  }
}

/** The results of validation (publish-api.md: POST /v1/sandbox/test, `validation`). */
export class SandboxValidationView {
  constructor(
    readonly schema: CheckResult,
    readonly entities: CheckResult,
    /** One item per media file, in payload order. */
    readonly media: readonly SandboxMediumView[],
  ) {}
}

/** A call to a network that publishing would make. It never contains credentials. */
export class PreviewCallView {
  constructor(
    /** The step of the publication that makes the call. */
    readonly step: string,
    /** The network's own method name. */
    readonly method: string,
    readonly request: JsonObject,
    /** The channel that the call is made for. */
    readonly target_id: string,
  ) {}
}

/** A warning about the post on a network, such as a degradation. */
export class PreviewWarningView {
  readonly code: string;
  readonly message: string;
  /** The channel that the warning is for; absent if it is for all of the post's channels on the network. */
  readonly target_id?: string;

  constructor(code: string, message: string, targetId?: string) {
    this.code = code;
    this.message = message;
    if (targetId !== undefined) this.target_id = targetId;
  }
}

/** A probable mistake in the payload that publishing would accept or ignore (D-49). */
export class PayloadWarningView {
  constructor(
    readonly code: 'unknown_field' | 'unused_override' | 'looks_like_html' | 'host_not_found',
    /** Such as `media[0].ulr`. */
    readonly path: string,
    readonly message: string,
  ) {}
}

/** The post as it would be published on one network (publish-api.md: POST /v1/sandbox/test; D-38, D-44). */
export class NetworkPreviewView {
  constructor(
    /** The text for the first channel that the post goes to. */
    readonly text_after_trim: string,
    /** UTF-16 units cut from the original text. */
    readonly trimmed_chars: number,
    /** The calls that publishing would make, in order, channel by channel. */
    readonly requests: readonly PreviewCallView[],
    readonly warnings: readonly PreviewWarningView[],
    /** What could be changed afterwards, on the first channel that the post goes to. */
    readonly can: CanView,
  ) {}
}

/** The sandbox response for a payload that publishing would accept (publish-api.md: POST /v1/sandbox/test). */
export class SandboxView {
  /** Always true. */
  readonly ok = true;
  /** False if no post would be created because the endpoint has no project. */
  readonly would_create_post: boolean;
  readonly validation: SandboxValidationView;
  /** Previews, keyed by network id and by the id of each target that has its own override. */
  readonly preview: Readonly<Record<string, NetworkPreviewView>>;
  /** Probable mistakes in the payload (D-49). */
  readonly warnings: readonly PayloadWarningView[];
  /**
   * The time that the post would be planned for, ISO 8601, UTC; null if it would only wait for approval. Absent unless
   * it would be planned.
   */
  readonly publish_at?: string | null;
  /** Always true. Absent unless the post would wait for approval. */
  readonly requires_approval?: true;

  constructor(
    wouldCreatePost: boolean,
    validation: SandboxValidationView,
    preview: Readonly<Record<string, NetworkPreviewView>>,
    warnings: readonly PayloadWarningView[],
    plan: (Plan & { readonly requiresApproval: boolean }) | null,
  ) {
    this.would_create_post = wouldCreatePost;
    this.validation = validation;
    this.preview = preview;
    this.warnings = warnings;
    if (!plan || plan.isReleased) return;
    this.publish_at = isoOrNull(plan.publishAt);
    if (plan.requiresApproval) this.requires_approval = true;
  }
}

/** The sandbox response for a payload that publishing would reject (D-44). */
export class SandboxProblemView extends ProblemView {
  /** Always false. */
  readonly would_create_post = false;
  readonly validation: SandboxValidationView;
  /** Probable mistakes in the payload (D-49). */
  readonly warnings: readonly PayloadWarningView[];

  constructor(
    problem: HttpProblem,
    requestId: string,
    validation: SandboxValidationView,
    warnings: readonly PayloadWarningView[],
  ) {
    super(problem, requestId);
    this.validation = validation;
    this.warnings = warnings;
  }
}

/** The same maximum as for problems (D-6). */
const MAX_WARNINGS = 50;

const ELEMENTS =
  'a|abbr|article|b|big|blockquote|body|br|center|code|del|div|em|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|li|link|main|mark|meta|ol|p|pre|q|s|samp|script|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tg-emoji|tg-spoiler|th|thead|tr|tt|u|ul|var|video';
/** An HTML tag or character reference. `<name>` and `a < b` do not match. */
const HTML = new RegExp(
  `</?(?:${ELEMENTS})(?:\\s*/?>|\\s+[a-z-]+\\s*=[^<>]*>)|&(?:amp|lt|gt|quot|apos|nbsp|#\\d{1,7}|#x[0-9a-f]{1,6});`,
  'i',
);

/**
 * Finds likely mistakes in a payload that publishing would accept anyway (D-49), at most 50.
 * @param sent the parsed body; undefined if it could not be read
 * @param unused override keys that no target uses
 */
export const findPayloadWarnings = (
  sent: unknown,
  lists: CheckedLists['lists'] = new Map(),
  unused: readonly string[] = [],
): readonly PayloadWarningView[] => {
  const unknown = findUnknownFields(sent, MAX_WARNINGS).map(
    (field) => new PayloadWarningView('unknown_field', field.path, describeUnknownField(field)),
  );
  const withoutEffect = unused.map((key) => {
    const path = joinPath('overrides.', key);
    return new PayloadWarningView('unused_override', path, PAYLOAD_WARNINGS.unusedOverride({ path }));
  });
  const hosts = [...lists].flatMap(([path, media]) =>
    media.flatMap(({ isHostUnknown, note }, index) =>
      isHostUnknown ? [new PayloadWarningView('host_not_found', `${path}[${index}].url`, note ?? '')] : [],
    ),
  );
  return [...unknown, ...withoutEffect, ...findHtml(sent), ...hosts].slice(0, MAX_WARNINGS);
};

const findHtml = (sent: unknown): readonly PayloadWarningView[] =>
  listTexts(sent).flatMap(([path, text]) => {
    const [html] = (typeof text === 'string' && HTML.exec(text)) || [];
    if (html === undefined) return [];
    const message = PAYLOAD_WARNINGS.looksLikeHtml({ path, part: quoteShort(html) });
    return [new PayloadWarningView('looks_like_html', path, message)];
  });

const isObject = (value: unknown): value is Sent => typeof value === 'object' && value !== null;

/** Lists the text fields of the post and its overrides, with their paths. */
const listTexts = (sent: unknown): readonly (readonly [path: string, text: unknown])[] => {
  if (!isObject(sent)) return [];
  const overrides = Object.entries(isObject(sent.overrides) ? sent.overrides : {});
  return [
    ['text', sent.text],
    ...overrides.map(
      ([key, override]) =>
        [`${joinPath('overrides.', key)}.text`, isObject(override) ? override.text : undefined] as const,
    ),
  ];
};
