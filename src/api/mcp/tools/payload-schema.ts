import { ENTITY_TYPES, LIMITS, MEDIA_TYPES } from '../../../payload/payload.js';
import { TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { type ArgumentSchemas, objectSchema } from './tool.js';

/** Schema of targets: ids or full names (D-39). */
export const targetsSchema = (description: string): ArgumentSchemas[string] => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

/** Schema of the length of a pause, in minutes. */
export const minutesSchema = (description: string): ArgumentSchemas[string] => ({
  type: 'integer',
  minimum: 0,
  maximum: LIMITS.pauseMinutes,
  description,
});

/** Schemas of the fields of a post, as an assistant sends them (publish-api.md: Publish payload; D-39). */
export const PAYLOAD_SCHEMA: ArgumentSchemas = {
  text: { type: 'string', maxLength: LIMITS.text, description: SAY.text },
  entities: {
    type: 'array',
    description: SAY.entities,
    items: objectSchema(
      {
        type: { type: 'string', enum: [...ENTITY_TYPES] },
        offset: { type: 'integer', minimum: 0 },
        length: { type: 'integer', minimum: 1 },
        url: { type: 'string' },
        language: { type: 'string' },
        custom_emoji_id: { type: 'string' },
      },
      ['url', 'language', 'custom_emoji_id'],
    ),
  },
  media: {
    type: 'array',
    maxItems: LIMITS.media,
    description: SAY.media,
    items: objectSchema({
      type: { type: 'string', enum: [...MEDIA_TYPES] },
      url: { type: 'string', maxLength: LIMITS.urlLength },
    }),
  },
  buttons: {
    type: 'array',
    maxItems: LIMITS.buttonRows,
    description: SAY.buttons,
    items: {
      type: 'array',
      maxItems: LIMITS.buttonsPerRow,
      items: objectSchema({ text: { type: 'string' }, url: { type: 'string' } }),
    },
  },
  is_advertisement: { type: 'boolean', description: SAY.isAdvertisement },
  ad_pause_minutes: minutesSchema(SAY.adPauseMinutes),
  ad_target_pause_minutes: minutesSchema(SAY.adTargetPauseMinutes),
  targets: targetsSchema(SAY.targets),
  external_id: { type: 'string', maxLength: LIMITS.keyLength, description: SAY.externalId },
  trace_id: { type: 'string', description: SAY.traceId },
  metadata: { type: 'object', description: SAY.metadata },
  overrides: { type: 'object', description: SAY.overrides },
  publish_at: { type: 'string', format: 'date-time', description: SAY.publishAt },
};
