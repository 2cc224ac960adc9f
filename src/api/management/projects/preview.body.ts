import type { UnsealedProcessing } from '../../../commands/project/seal-processing.js';
import { EntityDto } from '../../../payload/payload.dto.js';
import { type Entity, LIMITS } from '../../../payload/payload.js';
import { emptyListToAbsent, nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Schema, schemaOf } from '../../../validation/json-schema.js';
import { Must } from '../../../validation/rules.js';
import { type BodyReader, fieldsReader } from '../request-body.js';
import { ProcessingBody } from './processing.bodies.js';
import { type ProcessingRules, readEntities, readProcessing } from './read-processing.js';

/** Fields of POST /projects/{id}/preview. */
export class ProcessingPreviewBody {
  @Must.haveAtMostUnits(LIMITS.text)
  @Must.beText()
  @Must.bePresent('the text of a post')
  readonly text: unknown;

  @Schema.items(() => EntityDto)
  @Must.beArray('entities')
  readonly entities: unknown;

  /** The processing to try; the project's own if absent, no processing if null. */
  @Schema.is(() => ({ anyOf: [schemaOf(ProcessingBody), { type: 'null' }] }))
  readonly processing: unknown;

  constructor(sent: Sent) {
    this.text = nullToAbsent(sent.text);
    this.entities = emptyListToAbsent(sent.entities);
    this.processing = sent.processing;
  }
}

/** A text and the processing to try on it. */
export interface PreviewedText {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Undefined: the project's own. */
  readonly processing: UnsealedProcessing | undefined;
}

/** Creates the reader of POST /projects/{id}/preview. */
export const createPreviewReader =
  (rules: ProcessingRules): BodyReader<PreviewedText> =>
  (sent, problems) => {
    const { text, entities, processing } = fieldsReader(ProcessingPreviewBody)(sent, problems);
    const read = () => (processing === null ? { processing: {} } : readProcessing(processing, rules, problems));
    return {
      text: text as string,
      entities: readEntities(text, entities, 'entities', problems),
      processing: processing === undefined ? undefined : read(),
    };
  };
