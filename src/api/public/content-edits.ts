import { Inject, Injectable } from '@nestjs/common';
import type { CommandContext } from '../../commands/command.js';
import {
  type EditableMessages,
  type EditedPost,
  type EditedTarget,
  EditPosts,
  type FindRefusals,
  reasonAgainstEdit,
} from '../../commands/post/edit-posts.js';
import type { PostPlace } from '../../commands/post/planned-posts.js';
import type { PostChange } from '../../commands/post/post-changes.js';
import type { PublicationError } from '../../domain/publication/publication.events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import type { PayRequests } from '../../media/probe.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../outbound-http/url-rules.js';
import { listUnusedOverrides } from '../../payload/overrides.js';
import { validateContent } from '../../payload/validate.js';
import { PlatformCatalogue, Publishers } from '../../platforms/platform-catalogue.js';
import type { PlatformChannel, ProbedMedium } from '../../platforms/publisher.js';
import { type EditPlan, planEdit } from '../../processing/edit-plan.js';
import type { PublicationRow } from '../../projections/posts/posts.tables.js';
import { Must } from '../../validation/rules.js';
import { HttpProblem } from '../transport/problem.view.js';
import { previewBudgetProblem, projectBudgetProblem } from './gate/rejections.js';
import { PAYLOAD_WARNINGS } from './messages.js';
import { checkBody, type CheckedLists, MediaCheck, ProbePayments, readJson } from './payload-check.js';
import { PreviewPatterns } from './sandbox/network-preview.js';
import { findPayloadWarnings, PreviewCallView } from './sandbox/sandbox.view.js';
import { SandboxTranslation } from './sandbox/sandbox-preview.js';

/** Query parameters of an edit. */
export class DryRunQuery {
  /** `true` answers the same without any effect, and shows the calls. */
  @Must.beOneOf(['true', 'false'])
  readonly dry_run: 'true' | 'false' | undefined;
}

/** A warning about content that is accepted. */
export class ContentWarningView {
  constructor(
    readonly code: 'unused_field' | 'unused_override' | 'looks_like_html' | 'host_not_found',
    /** Such as `media[0].url`. */
    readonly path: string,
    readonly message: string,
  ) {}
}

/** A request to give a post new content. */
export interface ContentRequest {
  readonly post: { readonly post_id: string; readonly owner_id: string; readonly endpoint_id: string };
  readonly publications: readonly PublicationRow[];
  readonly place: PostPlace;
  readonly body: Buffer;
  readonly change: PostChange;
  readonly context: CommandContext;
  readonly isDryRun: boolean;
}

/** The outcome of an edit, and what a dry run shows of it. */
export interface ContentResult {
  readonly edited: EditedPost;
  readonly warnings: readonly ContentWarningView[];
  /** Rows as they would be after the edit; only in a dry run. */
  readonly rows: readonly PublicationRow[] | null;
  /** The calls that the edit would make, by publication id; only in a dry run. */
  readonly requests: ReadonlyMap<string, readonly PreviewCallView[]>;
}

/** Gives posts new content, for clients, owners and the operator (D-72, D-73). */
@Injectable()
export class ContentEdits {
  constructor(
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
    private readonly catalogue: PlatformCatalogue,
    private readonly publishers: Publishers,
    private readonly media: MediaCheck,
    private readonly payments: ProbePayments,
    private readonly translation: SandboxTranslation,
    private readonly patterns: PreviewPatterns,
    private readonly posts: EditPosts,
  ) {}

  /** @returns null if there is no such post @throws HttpProblem for a body that is not acceptable */
  async edit(request: ContentRequest): Promise<ContentResult | Rejection | null> {
    const { post, publications, place, body, change, context, isDryRun } = request;
    const targets = publications.map(
      ({ publication_id: publicationId, channel_id: channelId, project_id: projectId, platform }): EditedTarget => ({
        publicationId,
        postId: post.post_id,
        channelId,
        ownerId: post.owner_id,
        platform,
        projectId,
      }),
    );
    const audience = { platforms: this.catalogue.ids, targets };
    const { checked, sent } = checkBody(await readJson(body), (value) =>
      validateContent(value, this.addresses, audience),
    );
    if (!checked.ok) throw new HttpProblem(checked.status, 'invalid_payload', checked.problems);
    const { unused } = checked;
    const pay = this.payments.openFor(post, projectBudgetProblem);
    const media = await this.media.checkPayload(post.owner_id, pay, checked.content, targets);
    const { payload: content, problems, lists } = media;
    if (problems.length > 0) throw new HttpProblem(media.status, 'invalid_payload', problems);
    const plans = new Map<string, EditPlan>();
    const findRefusals = this.createFinder(post.owner_id, pay, plans);
    const edited = await this.posts.edit(place, targets, content, change, findRefusals, context, isDryRun);
    if (edited === null) return null;
    if (isRejection(edited)) {
      if (edited.rejection === 'not_editable') throw notEditableProblem(edited);
      return edited;
    }
    const warnings = [
      ...unused.map((path) => new ContentWarningView('unused_field', path, PAYLOAD_WARNINGS.unusedField({ path }))),
      ...findPayloadWarnings(sent, lists, listUnusedOverrides(content, targets)).flatMap(({ code, path, message }) =>
        code === 'unknown_field' ? [] : [new ContentWarningView(code, path, message)],
      ),
    ];
    if (!isDryRun) return { edited, warnings, rows: null, requests: new Map() };
    const rows = publications.map((row) => foresee(row, edited));
    return { edited, warnings, rows, requests: this.showCalls(publications, plans, lists) };
  }

  /** Renders the content for each channel, as the worker will. */
  private createFinder(ownerId: string, pay: PayRequests, plans: Map<string, EditPlan>): FindRefusals {
    const translate = this.translation.createTranslate(pay);
    const search = this.patterns.open({ ownerId, reject: previewBudgetProblem });
    return async (all) => {
      const refusals = new Map<string, PublicationError>();
      for (const messages of all) {
        const { target, next, shown, channel } = messages;
        const { publicationId, platform } = target;
        const chat = channel ? this.catalogue.chatOf(platform, channel.address) : {};
        const known = reasonAgainstEdit(messages, channel === null, chat);
        if (known) {
          refusals.set(publicationId, known);
          continue;
        }
        for (const { payload, processing } of [next, shown])
          await search.searchAhead(payload.text ?? '', processing, platform);
        const edited = { ...messages, publisher: this.publishers.get(platform), channel: channelOf(messages) };
        const plan = await planEdit(edited, translate, {}, search);
        plans.set(publicationId, plan);
        if (plan.kind === 'refused') refusals.set(publicationId, plan.error);
      }
      return refusals;
    };
  }

  private showCalls(
    publications: readonly PublicationRow[],
    plans: ReadonlyMap<string, EditPlan>,
    lists: CheckedLists['lists'],
  ): ContentResult['requests'] {
    const shown = new Map<string, readonly PreviewCallView[]>();
    for (const { publication_id: id, channel_id: channelId, platform } of publications) {
      const plan = plans.get(id);
      const publisher = this.publishers.get(platform);
      const media: readonly ProbedMedium[] =
        lists.get(`overrides.${channelId}.media`) ??
        lists.get(`overrides.${platform}.media`) ??
        lists.get('media') ??
        [];
      const calls = plan?.kind === 'plan' ? plan.rendering.steps : [];
      shown.set(
        id,
        calls.flatMap((step) =>
          publisher
            .previewCalls(step, media)
            .map(({ method, request }) => new PreviewCallView(step.name, method, request, channelId)),
        ),
      );
    }
    return shown;
  }
}

/** Says for each channel why it cannot show the content. */
const notEditableProblem = ({ rejection, message, figures = {} }: Rejection): HttpProblem => {
  const ofChannels = Object.entries(figures).map(([path, reason]) => {
    const [code, text] = reason as readonly string[];
    return { path, code: code!, message: text! };
  });
  return new HttpProblem(409, rejection, [{ path: '', code: rejection, message }, ...ofChannels]);
};

const channelOf = ({ target, channel }: EditableMessages): PlatformChannel => ({
  id: target.channelId,
  address: channel?.address ?? {},
  settings: { ...channel?.settings } as PlatformChannel['settings'],
});

/** Returns a row as it would be right after the edit. */
const foresee = (row: PublicationRow, { revision, targets }: EditedPost): PublicationRow => {
  const error = targets.get(row.publication_id);
  if (error === undefined || row.state === 'planned') return row;
  const waits = row.published_at === null;
  return { ...row, edit: { revision, attempts: 0, done: [], waits, waiting: null, error, has_failed: error !== null } };
};
