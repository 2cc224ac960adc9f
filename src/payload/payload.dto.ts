import { findButtonUrlProblem, findTextLinkProblem } from '../outbound-http/url-rules.js';
import { emptyListToAbsent, emptyRowsToAbsent, emptyTextToAbsent, ReadAs } from '../validation/check-fields.js';
import { type JsonSchema, Schema, schemaOf } from '../validation/json-schema.js';
import { Must } from '../validation/rules.js';
import { ENTITY_TYPES, LIMITS, MEDIA_TYPES, TRACE_ID_LENGTH } from './payload.js';
import { findPublishAtProblem } from './publish-at.js';

/** Combines a field's decorators. The last one is checked first, as in a list of decorators. */
const all =
  (...rules: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, property) =>
    [...rules].reverse().forEach((rule) => rule(target, property));

/** Rules for the fields that payloads and overrides share. */
const Content = {
  text: all(ReadAs(emptyTextToAbsent), Must.haveAtMostUnits(LIMITS.text), Must.beText()),
  entities: all(
    ReadAs(emptyListToAbsent),
    Schema.items(() => EntityDto),
    Must.beArray('entities'),
  ),
  media: all(
    ReadAs(emptyListToAbsent),
    Schema.items(() => MediaDto),
    Must.haveAtMostItems(LIMITS.media),
    Must.beArray('media'),
  ),
  buttons: all(
    ReadAs(emptyRowsToAbsent),
    Schema.items(() => ({ type: 'array', maxItems: LIMITS.buttonsPerRow, items: schemaOf(ButtonDto) })),
    Must.haveAtMostItems(LIMITS.buttonRows),
    Must.beArray('rows of buttons'),
  ),
} as const;

/**
 * The fields of a publish payload as sent, with the rules of the schema (publish-api.md: Publish payload, Limits). Read
 * from parsed JSON by `readFields`: class-transformer would take seconds for a hostile `metadata` (security.md).
 * Unknown fields are ignored.
 */
export class PublishPayloadDto {
  @Content.text
  readonly text: unknown;

  @Content.entities
  readonly entities: unknown;

  @Content.media
  readonly media: unknown;

  @Content.buttons
  readonly buttons: unknown;

  @Must.beBoolean()
  readonly is_advertisement: unknown;

  /** True to publish without a notification for readers, where the network can. */
  @Must.beBoolean()
  readonly silent: unknown;

  /** True to pin the post, without another notification, where the network can. */
  @Must.beBoolean()
  readonly pin: unknown;

  @Must.beWithin(0, LIMITS.pauseMinutes)
  readonly ad_pause_minutes: unknown;

  @Must.beWithin(0, LIMITS.pauseMinutes)
  readonly ad_target_pause_minutes: unknown;

  @ReadAs(emptyListToAbsent)
  @Schema.items(() => TargetDto)
  @Must.beArray('objects like {"id": "tgt_…"}')
  readonly targets: unknown;

  // If an empty id counted, every post with an empty id would be a replay of the first.
  @ReadAs(emptyTextToAbsent)
  @Must.haveAtMostCharacters(LIMITS.keyLength)
  @Must.beText()
  readonly external_id: unknown;

  @Must.haveAtMostCharacters(TRACE_ID_LENGTH)
  @Must.beText()
  readonly trace_id: unknown;

  @Must.beObject()
  readonly metadata: unknown;

  @Schema.is(() => ({ additionalProperties: overrideSchema() }))
  @Must.beObject()
  readonly overrides: unknown;

  /** The time at which to publish the post, with an offset or `Z`; if absent, now (D-60). */
  @Schema.is(() => ({ format: 'date-time' }))
  @Must.satisfy(findPublishAtProblem)
  @Must.beText()
  readonly publish_at: unknown;
}

/** An override as it was sent (publish-api.md: Publish payload; D-61). Null and empty fields read as absent. */
export class OverrideDto {
  @Content.text
  readonly text: unknown;

  @Content.entities
  readonly entities: unknown;

  @Content.media
  readonly media: unknown;

  @Content.buttons
  readonly buttons: unknown;
}

/** The content of a post as it was sent to replace that of another (D-72). */
export class ContentDto extends OverrideDto {
  @Schema.is(() => ({ additionalProperties: overrideSchema() }))
  @Must.beObject()
  readonly overrides: unknown;
}

/** Returns the schema of an override: null removes a field. */
const overrideSchema = (): JsonSchema => {
  const schema = schemaOf(OverrideDto);
  const fields = Object.entries(schema.properties as Record<string, JsonSchema>);
  return { ...schema, properties: Object.fromEntries(fields.map(([name, field]) => [name, orNull(field)])) };
};

const orNull = (field: JsonSchema): JsonSchema => ({ ...field, type: [field.type, 'null'] });

const isTextLink = ({ type }: EntityDto): boolean => type === 'text_link';

/** An entity as it was sent (publish-api.md: Publish payload). read-lists.ts checks its range in the text. */
export class EntityDto {
  @Must.beOneOf(ENTITY_TYPES)
  @Must.beText()
  @Must.bePresent('the kind of formatting, such as "bold"')
  readonly type: unknown;

  @Must.beAtLeast(0)
  @Must.beInteger()
  @Must.bePresent('where it begins in text, in UTF-16 units from 0')
  readonly offset: unknown;

  @Must.beAtLeast(1)
  @Must.beInteger()
  @Must.bePresent('how many UTF-16 units of text it covers')
  readonly length: unknown;

  @Must.satisfy<EntityDto>(findTextLinkProblem, isTextLink)
  @Must.beText()
  @Must.bePresent<EntityDto>('the URL that the text links to', isTextLink)
  readonly url: unknown;

  @Must.beText()
  readonly language: unknown;

  @Must.beVisible()
  @Must.beText()
  @Must.bePresent<EntityDto>('the id of the custom emoji', ({ type }) => type === 'custom_emoji')
  readonly custom_emoji_id: unknown;
}

/** A medium as it was sent (publish-api.md: Publish payload). `document` is refused later, for its content (D-5). */
export class MediaDto {
  @Must.beOneOf(MEDIA_TYPES, ['document'])
  @Must.beText()
  @Must.bePresent<MediaDto>('photo, video or audio', ({ id }) => id === undefined)
  readonly type: unknown;

  /** The file's address; an uploaded file has `id` instead. */
  @Schema.is(() => ({ format: 'uri', pattern: '^https://', maxLength: LIMITS.urlLength }))
  @Must.beText()
  readonly url: unknown;

  /** The id of an uploaded file, in place of `url`; `type` may then be left out. */
  @Must.haveAtMostCharacters(LIMITS.keyLength)
  @Must.beVisible()
  @Must.beText()
  readonly id: unknown;
}

/** A button as it was sent (publish-api.md: Publish payload). */
export class ButtonDto {
  @Must.beVisible()
  @Must.beText()
  @Must.bePresent('the text of the button')
  readonly text: unknown;

  @Schema.is(() => ({ format: 'uri', pattern: '^(https|tg)://' }))
  @Must.satisfy(findButtonUrlProblem)
  @Must.beText()
  @Must.bePresent('the https:// or tg:// URL that the button opens')
  readonly url: unknown;
}

/** A target as it was sent (publish-api.md: Publish payload). */
export class TargetDto {
  @Must.beVisible()
  @Must.beText()
  @Must.bePresent('the public id of a target, tgt_…')
  readonly id: unknown;
}
