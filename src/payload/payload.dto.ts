import { filledList, filledRows, filledText, given } from '../validation/absence.js';
import type { Sent } from '../validation/check-fields.js';
import { ENTITY_TYPES, LIMITS, MEDIA_TYPES } from './payload.js';
import { Must } from '../validation/rules.js';
import { buttonUrlComplaint, textLinkComplaint } from '../outbound-http/url-rules.js';

/** Long enough for any tracing scheme, short enough for a log (the specification is silent). */
const TRACE_ID_LENGTH = 1_024;

/**
 * What is sent, field by field, with the rules of the schema (publish-api.md: Publish payload, Limits). Built by hand from parsed
 * JSON: class-transformer would take seconds over a hostile `metadata` (security.md). Fields that the specification does
 * not have are ignored and go no further.
 */
export class PublishPayloadDto {
  @Must.haveAtMostUnits(LIMITS.text)
  @Must.beText()
  readonly text: unknown;

  @Must.beArray('entities')
  readonly entities: unknown;

  @Must.haveAtMostItems(LIMITS.media)
  @Must.beArray('media')
  readonly media: unknown;

  @Must.haveAtMostItems(LIMITS.buttonRows)
  @Must.beArray('rows of buttons')
  readonly buttons: unknown;

  @Must.beBoolean()
  readonly is_advertisement: unknown;

  @Must.bePauseMinutes()
  readonly ad_pause_minutes: unknown;

  @Must.bePauseMinutes()
  readonly ad_target_pause_minutes: unknown;

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
    this.text = filledText(sent.text);
    this.entities = filledList(sent.entities);
    this.media = filledList(sent.media);
    this.buttons = filledRows(sent.buttons);
    this.is_advertisement = given(sent.is_advertisement);
    this.ad_pause_minutes = given(sent.ad_pause_minutes);
    this.ad_target_pause_minutes = given(sent.ad_target_pause_minutes);
    this.targets = filledList(sent.targets);
    // An empty id would make every post that has one a replay of the first.
    this.external_id = filledText(sent.external_id);
    this.trace_id = given(sent.trace_id);
    this.metadata = given(sent.metadata);
  }
}

const isTextLink = ({ type }: EntityDto): boolean => type === 'text_link';

/** Spec: Publish payload, Entity. Where it stands in the text is judged in check-entities.ts. */
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

  @Must.satisfy<EntityDto>(textLinkComplaint, isTextLink)
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
    this.type = given(sent.type);
    this.offset = given(sent.offset);
    this.length = given(sent.length);
    this.url = given(sent.url);
    this.language = given(sent.language);
    this.custom_emoji_id = given(sent.custom_emoji_id);
  }
}

/** Spec: Publish payload, Media. `document` is a type that is known and refused for its content (D-5). */
export class MediaDto {
  @Must.beOneOf(MEDIA_TYPES, ['document'])
  @Must.beText()
  @Must.bePresent('photo, video or audio')
  readonly type: unknown;

  @Must.beText()
  @Must.bePresent('the https:// URL of the file')
  readonly url: unknown;

  constructor(sent: Sent) {
    this.type = given(sent.type);
    this.url = given(sent.url);
  }
}

/** Spec: Publish payload, Button. */
export class ButtonDto {
  @Must.beVisible()
  @Must.beText()
  @Must.bePresent('the words on the button')
  readonly text: unknown;

  @Must.satisfy(buttonUrlComplaint)
  @Must.beText()
  @Must.bePresent('the https:// or tg:// URL that the button opens')
  readonly url: unknown;

  constructor(sent: Sent) {
    this.text = given(sent.text);
    this.url = given(sent.url);
  }
}

/** Spec: Publish payload, `targets`. */
export class TargetDto {
  @Must.beVisible()
  @Must.beText()
  @Must.bePresent('the public id of a target, tgt_…')
  readonly id: unknown;

  constructor(sent: Sent) {
    this.id = given(sent.id);
  }
}
