import type { UnsealedProcessing } from '../../../commands/project/seal-processing.js';
import { EntityDto } from '../../../payload/payload.dto.js';
import { type Entity, LIMITS } from '../../../payload/payload.js';
import { asSent, emptyListToAbsent } from '../../../validation/absence.js';
import { Schema, schemaOf } from '../../../validation/json-schema.js';
import { ReadAs } from '../../../validation/read-fields.js';
import { Must } from '../../../validation/rules.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { ProcessingBody } from './processing.bodies.js';
import { type ProcessingRules, readEntities, readProcessing } from './read-processing.js';

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
