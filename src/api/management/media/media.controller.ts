import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DeleteMedia } from '../../../commands/media.js';
import type { UploadedType } from '../../../domain/media/media.events.js';
import { EVENT_STORE, type EventStore } from '../../../event-store/port.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../../projections/engine/progress.js';
import { MediaQueries, type Place } from '../../../projections/media/media.queries.js';
import { MediaNeeds, type MediaUsers } from '../../../uploads/media-needs.js';
import { type UploadedFile, UploadedFiles } from '../../../uploads/uploaded-files.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { buildListView, isCursorOf, type ListView, readQuery, toPage } from '../../transport/fields.js';
import { fieldProblem, notFoundProblem } from '../../transport/problem.view.js';
import { MediaUploadView, MediaView, UPLOAD_CODES, UploadReceiver } from '../../uploads/media-files.controller.js';
import { requireUploadType } from '../../uploads/upload-body.js';
import { ApiKeyGuard, getAuthor, getListScope, getOwnerScope } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { ID_PATTERN, IdPipe } from '../common-fields.js';
import { BODY_MESSAGES } from '../messages.js';
import { type Call, ListQuery, requireOwner, TheCall } from '../owned-resources.js';

/** Query of POST /media. */
export class MediaUploadQuery {
  /** The file's owner. The operator must name one; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

/** Query of GET /media. */
export class MediaListQuery extends ListQuery {
  @isCursorOf('media')
  declare readonly cursor: string | undefined;

  /** Only files of this type. */
  @Must.beOneOf(['photo', 'video', 'audio'])
  readonly type: UploadedType | undefined;
}

/** An uploaded file in a list. */
export class ManagedMediaView extends MediaView {
  readonly owner_id: string;
  /** True if the store lacks the file, for example after an import; otherwise absent. */
  readonly missing?: true;

  constructor(file: UploadedFile, isMissing: boolean) {
    super(file);
    this.owner_id = file.ownerId;
    if (isMissing) this.missing = true;
  }
}

/** The posts that need a file. */
class MediaUsersView {
  readonly count: number;
  /** At most 50. */
  readonly post_ids: readonly string[];

  constructor({ count, postIds }: MediaUsers) {
    this.count = count;
    this.post_ids = postIds;
  }
}

/** An uploaded file and the posts that need it. */
export class MediaDetailsView extends ManagedMediaView {
  readonly used_by: MediaUsersView;

  constructor(file: UploadedFile, isMissing: boolean, users: MediaUsers) {
    super(file, isMissing);
    this.used_by = new MediaUsersView(users);
  }
}

const READ_MODELS = ['media'];

/** Uploads, lists and deletes files for posts (D-90). */
@Controller('manage/v1/media')
@UseGuards(ApiKeyGuard)
export class MediaController {
  constructor(
    private readonly receiver: UploadReceiver,
    private readonly files: UploadedFiles,
    private readonly needs: MediaNeeds,
    private readonly media: MediaQueries,
    private readonly deleteMedia: DeleteMedia,
    private readonly changes: ChangePipeline,
    private readonly findOwner: FindResource,
    private readonly progress: ProjectionProgress,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  @Documented({
    summary: 'Upload a file',
    description:
      'The body is the file itself, or `multipart/form-data` with one file named `file`. The same content has the same id: repeating is safe, and no Idempotency-Key is needed.',
    query: MediaUploadQuery,
    scope: 'post',
    forLimitedKeys: true,
    takesFile: true,
    status: 201,
    alsoAnswers: { 200: 'The owner has this content already; it expires later now' },
    codes: UPLOAD_CODES,
  })
  @Post()
  async upload(@TheCall() { request, reply }: Call): Promise<MediaUploadView> {
    const ownerId = getListScope(request, readQuery(request, MediaUploadQuery).owner_id);
    if (ownerId === null) throw fieldProblem('owner_id', 'missing', BODY_MESSAGES.ownerMissing);
    if (getOwnerScope(request) === null) await requireOwner(this.findOwner, ownerId);
    requireUploadType(request);
    return this.receiver.receive(request, reply, { ownerId, author: getAuthor(request), payer: ownerId });
  }

  @Documented({ summary: 'List uploaded files', scope: 'read', query: MediaListQuery })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<ManagedMediaView>> {
    const query = readQuery(request, MediaListQuery);
    const ownerId = getListScope(request, query.owner_id);
    const page = toPage(query);
    await this.progress.waitUntilCaughtUp(READ_MODELS, this.store);
    const rows = await this.media.list({
      ownerId,
      type: query.type ?? null,
      before: page.after === null ? null : placeOf(page.after),
      limit: page.limit + 1,
    });
    return buildListView(
      rows,
      page,
      ({ created_at, media_id }) => `${created_at}/${media_id}`,
      async (shown) => {
        const files = await this.files.complete(shown);
        return Promise.all(files.map(async (file) => new ManagedMediaView(file, await this.files.isMissing(file))));
      },
    );
  }

  @Documented({ summary: 'Show an uploaded file and the posts that need it', scope: 'read', forLimitedKeys: true })
  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<MediaDetailsView> {
    const file = await this.find(request, id);
    const [isMissing, users] = await Promise.all([this.files.isMissing(file), this.needs.findUsers(id)]);
    return new MediaDetailsView(file, isMissing, users);
  }

  @Documented({ summary: 'Delete an uploaded file', scope: 'post', codes: { 409: ['media_in_use'] } })
  @Delete(':id')
  @HttpCode(204)
  async delete(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<void> {
    await this.find(call.request, id);
    return this.changes.handleDelete(call, async ({ context }) => ({
      outcome: await this.deleteMedia.execute(context, id, 'requested'),
      readModels: READ_MODELS,
    }));
  }

  private async find(request: FastifyRequest, id: string): Promise<UploadedFile> {
    const file = (await this.files.findUsable(getOwnerScope(request), [id])).get(id);
    if (!file) throw notFoundProblem('file');
    return file;
  }
}

const placeOf = (key: string): Place => {
  const [at, id = ''] = key.split('/');
  return { at: Number(at), id };
};
