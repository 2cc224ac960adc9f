import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import type { Instant } from '../../kernel/clock.js';
import { ProbeBudget, type ProbePayer, type RefusedPayment } from '../../limits/budgets.js';
import { Inspector } from '../../media/inspector.js';
import { findMediaProblem } from '../../media/media-rules.js';
import {
  createProber,
  findMediaProblems,
  isReport,
  type PayRequests,
  type Prober,
  type ProbeReport,
} from '../../media/probe.js';
import { GuardedClient } from '../../outbound-http/guarded-client.js';
import { RequestSlots, TrafficMeter } from '../../outbound-http/request-slots.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../outbound-http/url-rules.js';
import { type Audience, listAddressed } from '../../payload/content-layers.js';
import { type ContentTarget, listMedia, type MediaList } from '../../payload/overrides.js';
import type { Media, PostMedium, PublishPayload } from '../../payload/payload.js';
import { isUpload, listUploadIds, mapUploads } from '../../payload/uploads.js';
import { type CheckedKey, validatePayload } from '../../payload/validate.js';
import type { ProbedMedium } from '../../platforms/publisher.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { runInSlices, yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { type UploadedFile, UploadedFiles } from '../../uploads/uploaded-files.js';
import { HEAVY_BYTES, type JsonBody, parseJsonBody, parseJsonBodyInSlices } from '../../validation/json-body.js';
import type { Problem, Refused } from '../../validation/problem-list.js';
import { aboutField } from '../../validation/wording.js';
import { GateRejection } from './gate/gate-request.js';
import { probeBudgetRejection } from './gate/rejections.js';
import { UPLOAD_PROBLEMS } from './messages.js';

/** A valid payload, or all problems with it. */
export type PayloadCheck =
  | { readonly ok: true; readonly payload: PublishPayload }
  | {
      readonly ok: false;
      readonly status: number;
      readonly problems: readonly Problem[];
      /** The parsed body; undefined if it is not JSON. */
      readonly sent: unknown;
    };

/** Parses a body. A large body is parsed in slices, so that it does not delay other requests. */
export const readJson = (body: Buffer): JsonBody | Promise<JsonBody> =>
  body.length > HEAVY_BYTES ? readJsonInSlices(body) : parseJsonBody(body);

const readJsonInSlices = async (body: Buffer): Promise<JsonBody> => {
  const json = await runInSlices(parseJsonBodyInSlices(body));
  await yieldToEventLoop(); // validation gets a slice of its own
  return json;
};

/**
 * Checks the content of a publish request. Reports all problems at once; 422 takes precedence over 400 (D-43).
 * @param audience the networks and targets that may have overrides
 * @param now the time against which `publish_at` is checked
 */
export const checkPayload = (
  json: JsonBody,
  key: CheckedKey,
  addresses: AddressPolicy,
  audience: Audience,
  now: Instant,
): PayloadCheck => {
  const { checked, sent } = checkBody(json, (value) => validatePayload(value, addresses, audience, now));
  if (checked.ok && key.ok) return { ok: true, payload: checked.payload };
  const problems = [...(key.ok ? [] : key.problems), ...(checked.ok ? [] : checked.problems)];
  return { ok: false, status: key.ok && !checked.ok ? checked.status : 422, problems, sent };
};

const NO_FURTHER_PROBLEMS: Refused = { ok: false, status: 400, problems: [] };

/**
 * Checks a body against its rules. Reports JSON problems together with rule violations, as far as the JSON can still be
 * read.
 * @returns `sent`: the parsed body; undefined if it is not acceptable JSON
 */
export const checkBody = <Checked extends { readonly ok: true }>(
  json: JsonBody,
  validate: (value: unknown) => Checked | Refused,
): { readonly checked: Checked | Refused; readonly sent: unknown } => {
  if (json.ok) return { checked: validate(json.value), sent: json.value };
  const further = json.unsafe ? validate(json.unsafe.value) : null;
  const { status, problems } = further && !further.ok ? further : NO_FURTHER_PROBLEMS;
  const asJson = json.problems.filter(
    ({ path, code }) => !SOLVED_BY_STRING.has(code) || !problems.some((p) => p.path === path),
  );
  return { checked: { ok: false, status, problems: [...asJson, ...problems] }, sent: undefined };
};

/**
 * Problems that the client can fix by sending a string instead of the number, unless the field has its own rules, such
 * as minutes.
 */
const SOLVED_BY_STRING: ReadonlySet<string> = new Set(['number_too_large', 'number_inexact']);

/** A payload whose uploads have been looked up. */
interface CheckedUploads<Payload> {
  /** With the types of its uploads. */
  readonly payload: Payload;
  readonly problems: readonly Problem[];
  /** 422 if an upload does not exist, whatever else is wrong (D-43). */
  readonly status: 400 | 422;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

/** Looks up the uploads that posts name (D-90). An id of another owner, a deleted and an expired one are all unknown. */
@Injectable()
export class UploadCheck {
  constructor(private readonly uploads: UploadedFiles) {}

  async check<Payload extends Pick<PublishPayload, 'media' | 'overrides'>>(
    ownerId: string,
    sent: Payload,
  ): Promise<CheckedUploads<Payload>> {
    const ids = listUploadIds(sent);
    if (ids.length === 0) return { payload: sent, problems: [], status: 400, files: new Map() };
    const files = await this.uploads.findUsable(ownerId, ids);
    const problems: Problem[] = [];
    const payload = mapUploads(sent, ({ type, id }, path) => {
      const file = files.get(id);
      if (!file) {
        const message = aboutField(`${path}.id`, UPLOAD_PROBLEMS.unknown);
        problems.push({ path: `${path}.id`, code: 'unknown_media', message });
        return { type, id };
      }
      const wrong = type && type !== file.type && findMediaProblem(type, examinationOf(file));
      if (wrong) problems.push({ path: `${path}.type`, code: wrong.code, message: aboutField(path, wrong.predicate) });
      return { type: file.type, id };
    });
    const isUnknown = problems.some(({ code }) => code === 'unknown_media');
    return { payload, problems, status: isUnknown ? 422 : 400, files };
  }
}

/** Reports on an upload as on a probed file, without a request. */
const reportOfUpload = (file: UploadedFile): ProbeReport => {
  const { id, type, url, filename, bytes: sizeBytes, mime, width, height, durationSeconds } = file;
  const facts = {
    ...(width !== null && height !== null && { width, height }),
    ...(durationSeconds !== null && { durationSeconds }),
  };
  return { id, type, url, filename, sizeBytes, mime, ...facts, ok: true, inconclusive: false };
};

const examinationOf = ({ extension, mime, bytes }: UploadedFile) => ({
  sizeBytes: bytes,
  inspection: { extension, mime },
  isComplete: false,
});

interface CheckedMedia {
  /** Definite problems, which lead to a 400. A slow or unreachable host is not a problem. */
  readonly problems: readonly Problem[];
  /** One per media file, in order. */
  readonly media: readonly CheckedMedium[];
}

/** The result of probing the media lists that a post's targets will get. */
export interface CheckedLists {
  readonly problems: readonly Problem[];
  /** Media by list path: `media`, `overrides.telegram.media`. */
  readonly lists: ReadonlyMap<string, readonly CheckedMedium[]>;
}

/** A post whose media were checked. */
export interface CheckedContent<Payload> extends CheckedLists {
  /** With the types of its uploads. */
  readonly payload: Payload;
  /** The status if there are problems. */
  readonly status: 400 | 422;
}

/** A probed media file. */
export interface CheckedMedium extends ProbedMedium {
  readonly ok: boolean;
  /** The reason why the file could not be fully probed. */
  readonly note?: string;
  /** True if the host name in its URL has no known address. */
  readonly isHostUnknown?: boolean;
}

/** Media from one list, with their indexes, in a body that is rejected for other problems. */
export interface CheckableList {
  readonly path: string;
  readonly media: readonly (Media & { readonly index: number })[];
}

/** The parts of a schema-valid body that determine which media its targets get. */
type SentMedia = { readonly [Name in 'media' | 'overrides' | 'targets']?: PublishPayload[Name] | null };

/**
 * Selects the media to probe in a body that is rejected for its content, so that all problems are reported at once
 * (D-6). Selects media without a known problem, from the lists that targets get. A body that violates the schema causes
 * no fetches.
 */
export const selectCheckableMedia = (
  { status, problems, sent }: Extract<PayloadCheck, { readonly ok: false }>,
  audience: Audience,
): readonly CheckableList[] => {
  if (status !== 400 || sent === undefined) return [];
  const { media, overrides, targets } = sent as SentMedia;
  const payload = { ...(media && { media }), ...(overrides && { overrides }) };
  const lists = listMedia(payload, listAddressed({ targets: targets ?? [] }, audience));
  return lists.flatMap(({ path, media: list }) => {
    const indexed = list.flatMap((medium, index) => {
      const { type, url } = medium as Partial<Media>;
      return type && url ? [{ type, url, index }] : [];
    });
    const rest = indexed.filter(({ index }) => !problems.some((each) => each.path.startsWith(`${path}[${index}]`)));
    return rest.length > 0 ? [{ path, media: rest }] : [];
  });
};

/** Limits the concurrent requests for posts that are not accepted yet: media checks, translations (D-51). */
@Injectable()
export class AcceptanceSlots extends RequestSlots {
  constructor() {
    super({ perHost: 32, inAll: 256 });
  }
}

/**
 * Probes a payload's media with small ranged reads, within 3 s in total (D-24), charged to the endpoint's probe budget
 * (D-51). With MEDIA_PROBE off, it fetches nothing and reports no problems; media are then checked on publishing.
 */
@Injectable()
export class MediaCheck implements OnModuleDestroy {
  private readonly client: GuardedClient | null;
  private readonly prober: Prober | null;

  constructor(
    @Inject(SETTINGS) { mediaProbe }: Settings,
    @Inject(ADDRESS_POLICY) policy: AddressPolicy,
    slots: AcceptanceSlots,
    inspector: Inspector,
    private readonly uploads: UploadCheck,
  ) {
    this.client = mediaProbe ? new GuardedClient({ policy, slots }) : null;
    this.prober = this.client && createProber({ client: this.client, inspector });
  }

  /**
   * Looks up the uploads of a post (D-90), and probes the other media of the lists that its targets get (D-61). Problems
   * and notes contain the list's path.
   * @throws GateRejection 429 if the probe budget does not cover them
   */
  async checkPayload<Payload extends Pick<PublishPayload, 'media' | 'overrides'>>(
    ownerId: string,
    pay: PayRequests,
    sent: Payload,
    addressed: readonly ContentTarget[],
  ): Promise<CheckedContent<Payload>> {
    const uploads = await this.uploads.check(ownerId, sent);
    const { payload, status } = uploads;
    // A post with unknown uploads is refused, so its other media are not fetched.
    const none = { problems: [], lists: new Map<string, readonly CheckedMedium[]>() };
    const { problems, lists } =
      status === 422 ? none : await this.checkLists(ownerId, pay, listMedia(payload, addressed), uploads.files);
    return { payload, status, problems: [...uploads.problems, ...problems], lists };
  }

  private async checkLists(
    ownerId: string,
    pay: PayRequests,
    lists: readonly MediaList[],
    files: CheckedUploads<unknown>['files'] = new Map(),
  ): Promise<CheckedLists> {
    const checked = await Promise.all(
      lists.map(async ({ path, media: list }) => {
        const { problems, media } = await this.check(ownerId, pay, list, files);
        const prefix = path.slice(0, -'media'.length);
        return {
          path,
          problems: problems.map((problem) => ({
            ...problem,
            path: prefix + problem.path,
            message: prefix + problem.message,
          })),
          media: media.map((medium) => (medium.note ? { ...medium, note: prefix + medium.note } : medium)),
        };
      }),
    );
    return {
      problems: checked.flatMap(({ problems }) => problems),
      lists: new Map(checked.map(({ path, media }) => [path, media])),
    };
  }

  /** Returns the definite media problems in a rejected body; none if the probe budget does not cover the probes. */
  async findProblems(ownerId: string, pay: PayRequests, lists: readonly CheckableList[]): Promise<readonly Problem[]> {
    const { problems } = await this.checkLists(ownerId, pay, lists).catch((error: unknown) => {
      if (error instanceof GateRejection) return { problems: [] };
      throw error;
    });
    const restoreIndex = (text: string): string => {
      const list = lists.find(({ path }) => text.startsWith(`${path}[`));
      if (!list) return text;
      const { path, media } = list;
      return text.slice(path.length).replace(/^\[(\d+)\]/, (_, n) => `${path}[${media[Number(n)]!.index}]`);
    };
    return problems.map(({ path, code, message }) => ({
      path: restoreIndex(path),
      code,
      message: restoreIndex(message),
    }));
  }

  async onModuleDestroy(): Promise<void> {
    await this.client?.close();
  }

  private async check(
    ownerId: string,
    pay: PayRequests,
    sent: readonly PostMedium[],
    files: CheckedUploads<unknown>['files'],
  ): Promise<CheckedMedia> {
    if (sent.length === 0) return { problems: [], media: [] };
    const media = sent.map((medium) => (isUpload(medium) ? reportOfUpload(files.get(medium.id)!) : medium));
    const reports = this.prober
      ? await this.prober.probeAll(media, { pay, ownerId })
      : media.map((medium) => (isReport(medium) ? medium : { ...medium, ...UNPROBED }));
    const certain = reports.map((report) => (report.inconclusive ? { ...report, mime: null } : report));
    return { problems: findMediaProblems(reports), media: certain };
  }
}

const UNPROBED = { ok: true, inconclusive: false, sizeBytes: null, mime: null } as const;

/** Pays for requests to media hosts and translation services before a post is accepted (D-51). */
@Injectable()
export class ProbePayments {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly budget: ProbeBudget,
  ) {}

  /**
   * Returns a function that pays for the probes of one client request. It throws GateRejection 429 if the budget is too
   * small.
   */
  open(endpoint: EndpointSnapshot): PayRequests {
    return this.openFor(endpoint, (refused) => probeBudgetRejection(endpoint, refused, this.settings.limitsProfile));
  }

  /**
   * Returns a function that pays for the probes of one request, on behalf of a payer.
   * @param reject creates the error if the budget does not cover a payment; its retry delay takes all payments so far
   * into account
   */
  openFor(payer: ProbePayer, reject: (refused: RefusedPayment) => Error): PayRequests {
    const again = { probes: 0, bytes: 0 };
    return async (most) => {
      again.probes += most.probes;
      again.bytes += most.bytes;
      const verdict = await this.budget.pay(payer, most, { ...again });
      if (verdict.outcome === 'refused') throw reject(verdict);
      const meter = new TrafficMeter();
      return { meter, settle: () => verdict.settle({ probes: meter.requests, bytes: meter.bytes }) };
    };
  }
}
