import { emptyListToAbsent, emptyRowsToAbsent, emptyTextToAbsent, nullToAbsent } from '../validation/absence.js';
import type { Sent } from '../validation/check-fields.js';
import { ENTITY_TYPES, LIMITS, MEDIA_TYPES, TRACE_ID_LENGTH } from './payload.js';
import { Must } from '../validation/rules.js';
import { findButtonUrlProblem, findTextLinkProblem } from '../outbound-http/url-rules.js';
import { Schema, schemaOf } from '../validation/json-schema.js';

/**
 * The fields of a publish payload as they were sent, with the rules of the schema (publish-api.md: Publish payload, Limits).
 * Built by hand from parsed JSON: class-transformer would take seconds for a hostile `metadata` (security.md). Unknown
 * fields are ignored.
 */
export class PublishPayloadDto {
  @Must.haveAtMostUnits(LIMITS.text)
  @Must.beText()
  readonly text: unknown;

  @Schema.items(() => EntityDto)
  @Must.beArray('entities')
  readonly entities: unknown;

  @Schema.items(() => MediaDto)
  @Must.haveAtMostItems(LIMITS.media)
  @Must.beArray('media')
  readonly media: unknown;

  @Schema.items(() => ({ type: 'array', maxItems: LIMITS.buttonsPerRow, items: schemaOf(ButtonDto) }))
  @Must.haveAtMostItems(LIMITS.buttonRows)
  @Must.beArray('rows of buttons')
  readonly buttons: unknown;

  @Must.beBoolean()
  readonly is_advertisement: unknown;

  @Must.beWithin(0, LIMITS.pauseMinutes)
  readonly ad_pause_minutes: unknown;

  @Must.beWithin(0, LIMITS.pauseMinutes)
  readonly ad_target_pause_minutes: unknown;

  @Schema.items(() => TargetDto)
  @Must.beArray('objects like {"id": "tgt_…"}')
  readonly targets: unknown;

  @Must.haveAtMostCharacters(LIMITS.keyLength)
  @Must.beText()
  readonly external_id: unknown;

  @Must.haveAtMostCharacters(TRACE_ID_LENGTH)
  @Must.beText()
  readonly trace_id: unknown;

  @Must.beObject()
  readonly metadata: unknown;

  constructor(sent: Sent) {
    this.text = emptyTextToAbsent(sent.text);
    this.entities = emptyListToAbsent(sent.entities);
    this.media = emptyListToAbsent(sent.media);
    this.buttons = emptyRowsToAbsent(sent.buttons);
    this.is_advertisement = nullToAbsent(sent.is_advertisement);
    this.ad_pause_minutes = nullToAbsent(sent.ad_pause_minutes);
    this.ad_target_pause_minutes = nullToAbsent(sent.ad_target_pause_minutes);
    this.targets = emptyListToAbsent(sent.targets);
    // With an empty id every such post would be a replay of the first.
    this.external_id = emptyTextToAbsent(sent.external_id);
    this.trace_id = nullToAbsent(sent.trace_id);
    this.metadata = nullToAbsent(sent.metadata);
  }
}

const isTextLink = ({ type }: EntityDto): boolean => type === 'text_link';

/** An entity as it was sent (publish-api.md: Publish payload). Its place in the text is checked in check-entities.ts. */
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

  constructor(sent: Sent) {
    this.type = nullToAbsent(sent.type);
    this.offset = nullToAbsent(sent.offset);
    this.length = nullToAbsent(sent.length);
    this.url = nullToAbsent(sent.url);
    this.language = nullToAbsent(sent.language);
    this.custom_emoji_id = nullToAbsent(sent.custom_emoji_id);
  }
}

/** A medium as it was sent (publish-api.md: Publish payload). `document` is refused later, for its content (D-5). */
export class MediaDto {
  @Must.beOneOf(MEDIA_TYPES, ['document'])
  @Must.beText()
  @Must.bePresent('photo, video or audio')
  readonly type: unknown;

  @Schema.is(() => ({ format: 'uri', pattern: '^https://', maxLength: LIMITS.urlLength }))
  @Must.beText()
  @Must.bePresent('the https:// URL of the file')
  readonly url: unknown;

  constructor(sent: Sent) {
    this.type = nullToAbsent(sent.type);
    this.url = nullToAbsent(sent.url);
  }
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

  constructor(sent: Sent) {
    this.text = nullToAbsent(sent.text);
    this.url = nullToAbsent(sent.url);
  }
}

/** A target as it was sent (publish-api.md: Publish payload). */
export class TargetDto {
  @Must.beVisible()
  @Must.beText()
  @Must.bePresent('the public id of a target, tgt_…')
  readonly id: unknown;

  constructor(sent: Sent) {
    this.id = nullToAbsent(sent.id);
  }
}
