import type { UnsealedProcessing } from '../../../commands/project/seal-processing.js';
import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { fieldsReader, type BodyReader } from '../request-body.js';
import { checkIds } from '../id-list.js';
import { Is } from '../rules.js';
import { type ProcessingRules, readProcessing } from './read-processing.js';
import { Schema, schemaOf } from '../../../validation/json-schema.js';
import { ProcessingBody } from './processing.bodies.js';

/** Fields of POST /projects. */
export class ProjectBody {
  /** Required of the operator; an owner's key may leave it out. */
  @Schema.is(() => ({ type: 'string', pattern: '^own_' }))
  readonly owner_id: unknown;

  @Is.name()
  @Must.bePresent('a name for people, such as "News"')
  readonly name: string;

  @Schema.items(() => ({ type: 'string', pattern: '^tgt_' }))
  @Schema.is(() => ({ maxItems: 200, uniqueItems: true }))
  @Must.beArray('target ids')
  @Must.bePresent('the ids of its channels, such as ["tgt_…"]; [] for none')
  readonly channel_ids: readonly string[];

  @Schema.is(() => ProcessingBody)
  readonly processing: unknown;

  constructor(sent: Sent) {
    this.owner_id = sent.owner_id;
    this.name = nullToAbsent(sent.name) as string;
    this.channel_ids = nullToAbsent(sent.channel_ids) as readonly string[];
    this.processing = nullToAbsent(sent.processing);
  }
}

/** Fields of PATCH /projects/{id}. */
export class ProjectPatchBody {
  @Is.name()
  readonly name: string | undefined;

  @Schema.items(() => ({ type: 'string', pattern: '^tgt_' }))
  @Schema.is(() => ({ maxItems: 200, uniqueItems: true }))
  @Must.beArray('target ids')
  readonly channel_ids: readonly string[] | undefined;

  /** Replaced as a whole; null removes it. */
  @Schema.is(() => ({ anyOf: [schemaOf(ProcessingBody), { type: 'null' }] }))
  readonly processing: unknown;

  constructor(sent: Sent) {
    this.name = nullToAbsent(sent.name) as string | undefined;
    this.channel_ids = nullToAbsent(sent.channel_ids) as readonly string[] | undefined;
    this.processing = sent.processing;
  }
}

/** Body of POST /projects. */
export interface NewProject {
  readonly name: string;
  readonly channelIds: readonly string[];
  readonly processing: UnsealedProcessing;
}

const NONE: UnsealedProcessing = { processing: {} };

/** Creates the reader of POST /projects. */
export const createProjectReader =
  (rules: ProcessingRules): BodyReader<NewProject> =>
  (sent, problems) => {
    const { name, channel_ids, processing } = fieldsReader(ProjectBody)(sent, problems);
    checkIds(channel_ids, 'channel_ids', 'tgt', problems);
    const read = processing === undefined ? NONE : (readProcessing(processing, rules, problems) ?? NONE);
    return { name, channelIds: channel_ids, processing: read };
  };

/** Body of PATCH /projects/{id}. */
export type ProjectChange = Partial<NewProject>;

/** Creates the reader of PATCH /projects/{id}. `processing` is replaced as a whole; null removes it. */
export const createProjectChangeReader =
  (rules: ProcessingRules): BodyReader<ProjectChange> =>
  (sent, problems) => {
    const { name, channel_ids, processing } = fieldsReader(ProjectPatchBody)(sent, problems);
    checkIds(channel_ids, 'channel_ids', 'tgt', problems);
    const read = () => (processing === null ? NONE : readProcessing(processing, rules, problems));
    return { name, channelIds: channel_ids, processing: processing === undefined ? undefined : read() };
  };
