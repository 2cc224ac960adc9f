import type { ChangeProject } from '../../../commands/project/change-project.js';
import type { CreateProject } from '../../../commands/project/create-project.js';
import { asSent } from '../../../validation/absence.js';
import { Schema, schemaOf } from '../../../validation/json-schema.js';
import { ReadAs } from '../../../validation/read-fields.js';
import { Must } from '../../../validation/rules.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { checkIds } from '../id-list.js';
import { ProcessingBody } from './processing.bodies.js';
import { type ProcessingRules, readProcessing } from './read-processing.js';

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

type NewProject = Omit<CreateProject['project'], 'projectId' | 'ownerId'>;

/** Creates the reader for the body of POST /projects. */
export const createProjectReader =
  (rules: ProcessingRules): BodyReader<NewProject> =>
  (sent, problems) => {
    const { name, channel_ids, processing } = fieldsReader(ProjectBody)(sent, problems);
    checkIds(channel_ids, 'channel_ids', 'tgt', problems);
    const read = readProcessing(processing, rules, problems) ?? { processing: {} };
    return { name, channelIds: channel_ids, processing: read };
  };

/** Creates the reader for the body of PATCH /projects/{id}. `processing` is replaced as a whole; null removes it. */
export const createProjectChangeReader =
  (rules: ProcessingRules): BodyReader<ChangeProject['change']> =>
  (sent, problems) => {
    const { name, channel_ids, processing } = fieldsReader(ProjectPatchBody)(sent, problems);
    checkIds(channel_ids, 'channel_ids', 'tgt', problems);
    return { name, channelIds: channel_ids, processing: readProcessing(processing, rules, problems) };
  };
