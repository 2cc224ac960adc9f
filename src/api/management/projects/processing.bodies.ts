import type { Filter, Replacement, Translation } from '../../../domain/project/processing.js';
import { EntityDto } from '../../../payload/payload.dto.js';
import { checkCuttingPattern, checkPattern } from '../../../processing/pattern.js';
import { emptyListToAbsent, emptyTextToAbsent } from '../../../validation/absence.js';
import { Schema } from '../../../validation/json-schema.js';
import { ReadAs } from '../../../validation/read-fields.js';
import { Must } from '../../../validation/rules.js';

const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** `processing` in request bodies (management-api.md). */
export class ProcessingBody {
  @ReadAs(emptyListToAbsent)
  @Schema.items(() => FilterBody)
  @Must.haveAtMostItems(100)
  @Must.beArray('filters')
  readonly filters: unknown;

  @Schema.is(() => FooterBody)
  readonly footer: unknown;

  @ReadAs(emptyListToAbsent)
  @Schema.items(() => ReplacementBody)
  @Must.haveAtMostItems(500)
  @Must.beArray('replacements')
  readonly replacements: unknown;

  @Schema.is(() => TranslationBody)
  readonly translation: unknown;

  @Schema.is(() => SignatureBody)
  readonly signature: unknown;
}

/** One of `processing.filters` (D-28). */
export class FilterBody {
  @Must.beOneOf(['include', 'exclude'])
  @Must.bePresent('"include" or "exclude"')
  readonly mode!: Filter['mode'];

  @ReadAs(emptyListToAbsent)
  @Schema.items(() => ({ type: 'string', minLength: 1, maxLength: 200 }))
  @Must.haveAtMostItems(500)
  @Must.beArray('words')
  readonly words: unknown;

  @Must.beAllowedBy(checkPattern)
  readonly pattern: string | undefined;

  @ReadAs(emptyListToAbsent)
  @Schema.items(() => ({ type: 'string' }))
  @Must.beArray('platforms')
  readonly platforms: unknown;
}

/** `processing.footer` (D-28). */
export class FooterBody {
  @Must.beVisibleText(500)
  readonly marker: string | undefined;

  @Must.beAllowedBy(checkCuttingPattern)
  readonly pattern: string | undefined;
}

/** One of `processing.replacements` (D-28). */
export class ReplacementBody {
  @Must.beVisibleText(500)
  @Must.bePresent('the text to replace')
  readonly from!: string;

  /** May be empty, which deletes `from`. */
  @Must.haveAtMostCharacters(2_000)
  @Must.beText()
  @Must.bePresent('the replacement; an empty one deletes the text')
  readonly to!: string;

  @Must.beBoolean()
  readonly whole_word!: Replacement['whole_word'];

  @Must.beBoolean()
  readonly ignore_case!: Replacement['ignore_case'];
}

/** `processing.translation` (D-28). */
export class TranslationBody {
  @Must.beOneOf(['libretranslate'])
  @Must.bePresent('"libretranslate"')
  readonly provider!: Translation['provider'];

  @Schema.is(() => ({ format: 'uri' }))
  @Must.beText()
  @Must.bePresent('the https:// URL of the service')
  readonly url!: string;

  /** If it is absent, the key stored for the same URL is kept; null or an empty string removes the key. */
  @ReadAs(emptyTextToAbsent)
  @Schema.is(() => ({ type: ['string', 'null'] }))
  @Must.beCredential()
  readonly api_key: string | undefined;

  @Must.match(/^(?:auto|[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$/, 'a language code such as "ru", or "auto"')
  @Must.bePresent('the language to translate from, or "auto"')
  readonly source!: string;

  @Must.match(LANGUAGE, 'a language code such as "en"')
  @Must.bePresent('the language to translate into')
  readonly target!: string;

  @Must.beOneOf(['publish_original', 'retry'])
  @Must.bePresent('"publish_original" or "retry"')
  readonly on_failure!: Translation['on_failure'];
}

/** `processing.signature` (D-28). */
export class SignatureBody {
  @Must.beVisibleText(4_000)
  @Must.bePresent('the text below every post')
  readonly text!: string;

  @ReadAs(emptyListToAbsent)
  @Schema.items(() => EntityDto)
  @Must.beArray('entities')
  readonly entities: unknown;

  @ReadAs(emptyListToAbsent)
  @Schema.items(() => ({ type: 'string' }))
  @Must.beArray('platforms')
  readonly platforms: unknown;
}
