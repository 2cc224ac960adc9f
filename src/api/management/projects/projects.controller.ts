import { Controller, Delete, Get, Inject, Patch, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PauseTargets, ResumeTargets } from '../../../commands/pause.js';
import {
  ChangeProject,
  CreateProject,
  DeleteProject,
  type NewProject,
  type ProjectChange,
  type UnsealedProcessing,
} from '../../../commands/project.js';
import type { Processing } from '../../../domain/project/processing.js';
import { CLOCK, type Clock, type Instant, iso } from '../../../kernel/clock.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/url-rules.js';
import type { TextWithEntities } from '../../../payload/entities.js';
import { EntityDto } from '../../../payload/payload.dto.js';
import { type Entity, LIMITS } from '../../../payload/payload.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { joinSignature } from '../../../processing/edit-text.js';
import type { ProcessedPost } from '../../../processing/process-post.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import type { ProjectRow } from '../../../projections/discovery/discovery.tables.js';
import { asSent, emptyListToAbsent, ReadAs } from '../../../validation/check-fields.js';
import { Schema, schemaOf } from '../../../validation/json-schema.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { PREVIEW_MESSAGES } from '../../public/messages.js';
import { type BodyReader, fieldsReader, type ListView, readQuery } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline, READ_MODELS_OF_DELETION } from '../change-pipeline.js';
import { CascadeQuery, checkIds, PauseBody } from '../common-fields.js';
import {
  type Call,
  LIST_QUERIES,
  OfResource,
  OwnedResources,
  requireOwner,
  type ResourceCall,
  type ResourcePlace,
  TheCall,
  withOwner,
} from '../owned-resources.js';
import { ProcessingBody, type ProcessingRules, readEntities, readProcessing } from './read-processing.js';

/** Fields of POST /projects/{id}/preview. */
export class ProcessingPreviewBody {
  @Must.haveAtMostUnits(LIMITS.text)
  @Must.beText()
  @Must.bePresent('the text of a post')
  readonly text: unknown;

  @ReadAs(emptyListToAbsent)
  @Schema.items(() => EntityDto)
  @Must.beArray('entities')
  readonly entities: unknown;

  /** The processing to try. Absent: the project's own; null: none. */
  @ReadAs(asSent)
  @Schema.is(() => ({ anyOf: [schemaOf(ProcessingBody), { type: 'null' }] }))
  readonly processing: unknown;
}

/** Text and the processing to try on it. */
export interface PreviewedText {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Undefined to use the project's own. */
  readonly processing: UnsealedProcessing | undefined;
}

/** Creates the reader for the body of POST /projects/{id}/preview. */
export const createPreviewReader =
  (rules: ProcessingRules): BodyReader<PreviewedText> =>
  (sent, problems) => {
    const { text, entities, processing } = fieldsReader(ProcessingPreviewBody)(sent, problems);
    return {
      text: text as string,
      entities: readEntities(text, entities, 'entities', problems),
      processing: readProcessing(processing, rules, problems),
    };
  };

/** A warning about the processed text. */
interface ProcessingWarningView {
  readonly code: string;
  readonly message: string;
}

/** The processed text for one network. The network's own limits are not applied; use the sandbox to see them. */
export class ProcessedTextView {
  /** The processed text, or the original text if the post would not be published. */
  readonly text: string;
  readonly entities: readonly Entity[];
  /** The reason why the post would not be published on this network; null if it would be. */
  readonly filtered: string | null;
  /** A translation that failed, or formatting that was lost. */
  readonly warnings: readonly ProcessingWarningView[];

  constructor(processed: ProcessedPost, original: TextWithEntities) {
    const { text, entities } = processed.kind === 'post' ? joinSignature(processed.post) : original;
    this.text = text;
    this.entities = entities;
    this.filtered = processed.kind === 'filtered' ? processed.reason.message : null;
    this.warnings = listWarnings(processed);
  }
}

const listWarnings = (processed: ProcessedPost): readonly ProcessingWarningView[] => {
  if (processed.kind === 'filtered') return [];
  if (processed.kind === 'post') return processed.warnings;
  const { code, message } = processed.error;
  return [{ code, message: PREVIEW_MESSAGES.wouldWait({ error: message }) }];
};

/** The result of a processing preview (management-api.md: Previews of processing). */
export interface ProcessingPreviewView {
  /** By network id: the networks of the project's channels, or all networks if it has no channels. */
  readonly platforms: Readonly<Record<string, ProcessedTextView>>;
}

/** Fields of POST /projects. */
export class ProjectBody {
  /** Required with the operator's key, optional with an owner's key. */
  @ReadAs(asSent)
  @Schema.is(() => ({ type: 'string', pattern: '^own_' }))
  readonly owner_id: unknown;

  @Must.beName()
  @Must.bePresent('a name for people, such as "News"')
  readonly name!: string;

  @Schema.items(() => ({ type: 'string', pattern: '^tgt_' }))
  @Schema.is(() => ({ maxItems: 200, uniqueItems: true }))
  @Must.beArray('target ids')
  @Must.bePresent('the ids of its channels, such as ["tgt_…"]; [] for none')
  readonly channel_ids!: readonly string[];

  @Schema.is(() => ProcessingBody)
  readonly processing: unknown;
}

/** Fields of PATCH /projects/{id}. */
export class ProjectPatchBody {
  @Must.beName()
  readonly name: string | undefined;

  @Schema.items(() => ({ type: 'string', pattern: '^tgt_' }))
  @Schema.is(() => ({ maxItems: 200, uniqueItems: true }))
  @Must.beArray('target ids')
  readonly channel_ids: readonly string[] | undefined;

  /** Replaced as a whole; null removes it. */
  @ReadAs(asSent)
  @Schema.is(() => ({ anyOf: [schemaOf(ProcessingBody), { type: 'null' }] }))
  readonly processing: unknown;
}

type ProjectFields = Omit<NewProject, 'projectId' | 'ownerId'>;

/** Creates the reader for the body of POST /projects. */
export const createProjectReader =
  (rules: ProcessingRules): BodyReader<ProjectFields> =>
  (sent, problems) => {
    const { name, channel_ids, processing } = fieldsReader(ProjectBody)(sent, problems);
    checkIds(channel_ids, 'channel_ids', 'tgt', problems);
    const read = readProcessing(processing, rules, problems) ?? { processing: {} };
    return { name, channelIds: channel_ids, processing: read };
  };

/** Creates the reader for the body of PATCH /projects/{id}. `processing` is replaced as a whole; null removes it. */
export const createProjectChangeReader =
  (rules: ProcessingRules): BodyReader<ProjectChange> =>
  (sent, problems) => {
    const { name, channel_ids, processing } = fieldsReader(ProjectPatchBody)(sent, problems);
    checkIds(channel_ids, 'channel_ids', 'tgt', problems);
    return { name, channelIds: channel_ids, processing: readProcessing(processing, rules, problems) };
  };

/** A project as the API shows it (management-api.md: Routes). */
export class ProjectView {
  /** `prj_…` */
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly channel_ids: readonly string[];
  /** Processing of the project's posts (D-28), without the translation service's API key. */
  readonly processing: Processing;
  /** End of the project's pause (ISO 8601, UTC); null if it is not paused. */
  readonly paused_until: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;

  constructor(row: ProjectRow, now: Instant) {
    this.id = row.project_id;
    this.owner_id = row.owner_id;
    this.name = row.name;
    this.channel_ids = row.channel_ids;
    this.processing = withoutKeyId(row.processing);
    this.paused_until = row.paused_until > now ? iso(row.paused_until) : null;
    this.created_at = row.created_at;
  }
}

/** Removes the id of the translation key, so that a client can edit the response and send it back. */
const withoutKeyId = (processing: Processing): Processing => {
  if (!processing.translation) return processing;
  const { api_key_id: _, ...translation } = processing.translation;
  return { ...processing, translation };
};

const READ_MODELS = ['discovery', 'publish-schedule'];

/** Manages projects: lists of channels with their post processing (management-api.md: Routes). */
@Controller('manage/v1/projects')
@UseGuards(ApiKeyGuard)
export class ProjectsController {
  private readonly rules: ProcessingRules;

  constructor(
    @Inject(ADDRESS_POLICY) policy: AddressPolicy,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly createProject: CreateProject,
    private readonly changeProject: ChangeProject,
    private readonly deleteProject: DeleteProject,
    private readonly pauseTargets: PauseTargets,
    private readonly resumeTargets: ResumeTargets,
    private readonly findResource: FindResource,
    private readonly resources: OwnedResources,
    private readonly changes: ChangePipeline,
    platforms: PlatformCatalogue,
  ) {
    this.rules = { policy, platforms: platforms.ids };
  }

  @Documented({
    summary: 'Create a project',
    scope: 'manage',
    body: ProjectBody,
    status: 201,
    codes: { 402: ['resource_limit'] },
  })
  @Post()
  async create(@TheCall() call: Call): Promise<ProjectView> {
    const read = withOwner(call.request, createProjectReader(this.rules));
    return this.changes.handlePost({ ...call, read, status: 201 }, async (body, change) => {
      await requireOwner(this.findResource, body.ownerId);
      const projectId = change.newId('prj');
      const outcome = await this.createProject.execute(change.context, { projectId, ...body });
      return { outcome, readModels: READ_MODELS, show: () => this.findView({ ...call, id: projectId }) };
    });
  }

  @Documented({ summary: 'List projects', scope: 'read', forLimitedKeys: true, query: LIST_QUERIES.project })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<ProjectView>> {
    const now = this.clock.now();
    return this.resources.listResources(request, 'project', (rows) => rows.map((row) => new ProjectView(row, now)));
  }

  @Documented({ summary: 'Show a project', scope: 'read', forLimitedKeys: true })
  @Get(':id')
  async get(@OfResource('project') call: ResourceCall<'project'>): Promise<ProjectView> {
    return new ProjectView(call.resource, this.clock.now());
  }

  @Documented({ summary: 'Change a project', scope: 'manage', body: ProjectPatchBody })
  @Patch(':id')
  async change(@OfResource('project') call: ResourceCall<'project'>): Promise<ProjectView> {
    return this.changes.handlePatch({ ...call, read: createProjectChangeReader(this.rules) }, async (body, change) => {
      const outcome = await this.changeProject.execute(change.context, call.id, body);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({ summary: 'Delete a project', scope: 'manage', query: CascadeQuery, codes: { 409: ['in_use'] } })
  @Delete(':id')
  async delete(@OfResource('project') call: ResourceCall<'project'>): Promise<void> {
    const { cascade } = readQuery(call.request, CascadeQuery);
    return this.changes.handleDelete(call, async (change) => {
      const outcome = await this.deleteProject.execute(change.context, call.id, cascade === 'true');
      return { outcome, readModels: READ_MODELS_OF_DELETION };
    });
  }

  @Documented({ summary: 'Pause a project', scope: 'manage', body: PauseBody })
  @Post(':id/pause')
  async pause(@OfResource('project') call: ResourceCall<'project'>): Promise<ProjectView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(PauseBody) }, async ({ minutes }, change) => {
      const scope = { projects: { ids: [call.id], minutes } };
      const outcome = await this.pauseTargets.execute(change.context, scope, { source: 'management' });
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({ summary: 'Resume a project', scope: 'manage' })
  @Post(':id/resume')
  async resume(@OfResource('project') call: ResourceCall<'project'>): Promise<ProjectView> {
    return this.changes.handlePost(call, async (_, change) => {
      const outcome = await this.resumeTargets.execute(change.context, { projectIds: [call.id] });
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  private async findView({ request, id }: ResourcePlace): Promise<ProjectView> {
    return new ProjectView(await this.resources.findResource(request, 'project', id), this.clock.now());
  }
}
