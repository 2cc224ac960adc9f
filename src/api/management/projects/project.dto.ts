import type { ChangeProject, CreateProject, UnsealedProcessing } from '../../../commands/project.js';
import type { Processing } from '../../../domain/project/processing.js';
import { type Instant, iso } from '../../../kernel/clock.js';
import type { TextWithEntities } from '../../../payload/entities.js';
import { EntityDto } from '../../../payload/payload.dto.js';
import { type Entity, LIMITS } from '../../../payload/payload.js';
import { joinSignature } from '../../../processing/edit-text.js';
import type { ProcessedPost } from '../../../processing/process-post.js';
import type { ProjectRow } from '../../../projections/discovery/discovery.tables.js';
import { asSent, emptyListToAbsent, ReadAs } from '../../../validation/check-fields.js';
import { Schema, schemaOf } from '../../../validation/json-schema.js';
import { Must } from '../../../validation/rules.js';
import { PREVIEW_MESSAGES } from '../../public/messages.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { checkIds } from '../common-fields.js';
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
    this.created_at = iso(row.created_at);
  }
}

/** Removes the id of the translation key, so that a client can edit the response and send it back. */
const withoutKeyId = (processing: Processing): Processing => {
  if (!processing.translation) return processing;
  const { api_key_id: _, ...translation } = processing.translation;
  return { ...processing, translation };
};
