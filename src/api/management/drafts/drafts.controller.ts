import { Controller, Delete, Get, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DraftContent, type DraftRow, Drafts, MAX_DRAFTS } from '../../../drafts/drafts.js';
import type { JsonObject } from '../../../kernel/ids.js';
import { reject } from '../../../kernel/result.js';
import { FindResource, type Sight } from '../../../projections/discovery/discovery.queries.js';
import { emptyTextToAbsent, ReadAs } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import {
  type BodyReader,
  buildListView,
  fieldsReader,
  isCursorOf,
  type ListView,
  readQuery,
  toPage,
} from '../../transport/fields.js';
import { readIfMatch } from '../../transport/headers.js';
import { HttpProblem, notFoundProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getActor, getListScope, getSight } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { ID_PATTERN, IdPipe } from '../common-fields.js';
import { DRAFT_MESSAGES } from '../messages.js';
import { type Call, ListQuery, requireOwner, TheCall, withOwner } from '../owned-resources.js';

/** Maximum length of a title, in characters. */
const TITLE_LENGTH = 120;
/** Maximum size of the content, in bytes of JSON. */
const MAX_CONTENT_BYTES = 262_144;

/** Body of PUT /drafts/{id}. */
export class DraftBody {
  /**
   * Endpoint that the post is meant for; null if none is chosen yet. It need not exist. A key that is limited to
   * endpoints must send one of them.
   */
  @Must.match(ID_PATTERN, 'an id such as ep_…')
  readonly endpoint_id: string | undefined;

  /** Title to show in lists, such as the beginning of the text. */
  @ReadAs(emptyTextToAbsent)
  @Must.beVisibleText(TITLE_LENGTH)
  readonly title: string | undefined;

  /** Whatever the client needs to continue the draft, at most 262,144 bytes. The gateway stores it unchecked. */
  @Must.beObject()
  @Must.bePresent('the draft, such as {"text": "Tide table"}')
  readonly content!: JsonObject;
}

/** Body of POST /drafts. */
export class NewDraftBody extends DraftBody {
  /** The operator must name the owner; an owner may name only itself. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

const readDraft =
  (Body: typeof DraftBody, { endpointIds: limit }: Sight): BodyReader<DraftContent> =>
  (sent, problems) => {
    const { endpoint_id: endpointId = null, title = null, content } = fieldsReader(Body)(sent, problems);
    if (limit !== null && (endpointId === null || !limit.includes(endpointId)))
      problems.add(422, 'endpoint_id', endpointId === null ? 'missing' : 'unknown_id', DRAFT_MESSAGES.beyondLimit);
    const text = JSON.stringify(content ?? {});
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_CONTENT_BYTES)
      problems.add(422, 'content', 'too_large', DRAFT_MESSAGES.tooLarge({ bytes, limit: MAX_CONTENT_BYTES }));
    return { endpointId, title, content: text };
  };

/** Query parameters of the list of drafts. */
export class DraftsQuery extends ListQuery {
  @isCursorOf('drf')
  declare readonly cursor: string | undefined;
}

/** A draft, without its content. */
export class DraftView {
  /** `drf_…` */
  readonly id: string;
  readonly owner_id: string;
  /** Endpoint that the post is meant for; null if none is chosen. */
  readonly endpoint_id: string | null;
  readonly title: string | null;
  /** Starts at 1 and rises with each change, as in `ETag`. */
  readonly revision: number;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  /** The actor of the last change, such as `owner:own_…`. */
  readonly updated_by: string;

  constructor(row: DraftRow) {
    this.id = row.id;
    this.owner_id = row.ownerId;
    this.endpoint_id = row.endpointId;
    this.title = row.title;
    this.revision = row.revision;
    this.created_at = row.createdAt.toISOString();
    this.updated_at = row.updatedAt.toISOString();
    this.updated_by = row.updatedBy;
  }
}

/** A draft with its content. */
export class DraftWithContentView extends DraftView {
  readonly content: JsonObject;

  constructor(row: DraftRow & Pick<DraftContent, 'content'>) {
    super(row);
    this.content = JSON.parse(row.content) as JsonObject;
  }
}

/** Stores drafts, which everyone who may act for the owner shares (ADR-390). No event contains a draft. */
@Controller('manage/v1/drafts')
@UseGuards(ApiKeyGuard)
export class DraftsController {
  constructor(
    private readonly drafts: Drafts,
    private readonly findResource: FindResource,
    private readonly changes: ChangePipeline,
  ) {}

  @Documented({
    summary: 'List drafts',
    scope: 'read',
    forLimitedKeys: true,
    description: 'A key that is limited to endpoints sees the drafts for these.',
    query: DraftsQuery,
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<DraftView>> {
    const query = readQuery(request, DraftsQuery);
    const page = toPage(query);
    const scope = { ...getSight(request), ownerId: getListScope(request, query.owner_id) };
    const rows = await this.drafts.list(scope, page.after, page.limit + 1);
    return buildListView(
      rows,
      page,
      ({ id }) => id,
      (shown) => shown.map((row) => new DraftView(row)),
    );
  }

  @Documented({
    summary: 'Create a draft',
    scope: 'post',
    forLimitedKeys: true,
    description: `An owner may have ${MAX_DRAFTS} drafts.`,
    body: NewDraftBody,
    status: 201,
    codes: { 409: ['too_many_drafts'] },
  })
  @Post()
  async create(@TheCall() call: Call): Promise<DraftView> {
    const read = withOwner(call.request, readDraft(NewDraftBody, getSight(call.request)));
    return this.changes.handlePost({ ...call, read, status: 201 }, async ({ ownerId, ...draft }, change) => {
      await requireOwner(this.findResource, ownerId);
      const id = change.newId('drf');
      const isKept = await this.drafts.create(id, ownerId, draft, getActor(call.request));
      const outcome = isKept ? UNLOGGED : reject('too_many_drafts', DRAFT_MESSAGES.tooMany({ limit: MAX_DRAFTS }));
      return { outcome, readModels: [], show: () => this.show(call, id) };
    });
  }

  @Documented({ summary: 'Show a draft with its content', scope: 'read', forLimitedKeys: true })
  @Get(':id')
  async get(@TheCall() { request, reply }: Call, @Param('id', IdPipe) id: string): Promise<DraftWithContentView> {
    const draft = await this.require(request, id);
    tag(reply, draft);
    return new DraftWithContentView(draft);
  }

  @Documented({
    summary: 'Replace a draft',
    scope: 'post',
    forLimitedKeys: true,
    description: "Send the draft's `ETag` as `If-Match`, so that two people do not overwrite each other's changes.",
    body: DraftBody,
    codes: { 412: ['revision_mismatch'], 428: ['revision_required'] },
  })
  @Put(':id')
  async replace(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<DraftView> {
    const { revision } = await this.require(call.request, id);
    const read = readDraft(DraftBody, getSight(call.request));
    return this.changes.handlePatch({ ...call, read }, async (draft) => {
      const tags = readIfMatch(call.request);
      if (tags === null) throw HttpProblem.withMessage(428, 'revision_required', DRAFT_MESSAGES.revisionRequired);
      const isReplaced = await this.drafts.replace(id, tags, draft, getActor(call.request));
      const outcome = isReplaced ? UNLOGGED : mismatch(revision);
      return { outcome, readModels: [], show: () => this.show(call, id) };
    });
  }

  @Documented({
    summary: 'Delete a draft',
    scope: 'post',
    forLimitedKeys: true,
    codes: { 412: ['revision_mismatch'] },
  })
  @Delete(':id')
  async delete(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<void> {
    const { revision } = await this.require(call.request, id);
    return this.changes.handleDelete(call, async () => {
      const isDeleted = await this.drafts.delete(id, getSight(call.request), readIfMatch(call.request));
      return { outcome: isDeleted ? UNLOGGED : mismatch(revision), readModels: [] };
    });
  }

  private async show({ request, reply }: Call, id: string): Promise<DraftView> {
    const draft = await this.require(request, id);
    tag(reply, draft);
    return new DraftView(draft);
  }

  /** @throws HttpProblem 404 */
  private async require(request: FastifyRequest, id: string) {
    const draft = await this.drafts.find(id, getSight(request));
    if (!draft) throw notFoundProblem('draft');
    return draft;
  }
}

/** Outcome of a change that appends no event. */
const UNLOGGED = { position: -1n };

const mismatch = (revision: number) => reject('revision_mismatch', DRAFT_MESSAGES.changed, { revision });

const tag = (reply: FastifyReply, { revision }: DraftRow): void => void reply.header('etag', `"${revision}"`);
