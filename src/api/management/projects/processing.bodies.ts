import type { Filter, Replacement, Translation } from '../../../domain/project/processing.js';
import { emptyListToAbsent, emptyTextToAbsent, nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { checkCuttingPattern, checkPattern } from '../../../processing/pattern.js';
import { Is } from '../rules.js';
import { Schema } from '../../../validation/json-schema.js';
import { EntityDto } from '../../../payload/payload.dto.js';

const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** The parts of `processing` as they are sent (management-api.md). */
export class ProcessingBody {
  @Schema.items(() => FilterBody)
  @Must.haveAtMostItems(100)
  @Must.beArray('filters')
  readonly filters: unknown;

  @Schema.is(() => FooterBody)
  readonly footer: unknown;

  @Schema.items(() => ReplacementBody)
  @Must.haveAtMostItems(500)
  @Must.beArray('replacements')
  readonly replacements: unknown;

  @Schema.is(() => TranslationBody)
  readonly translation: unknown;

  @Schema.is(() => SignatureBody)
  readonly signature: unknown;

  constructor(sent: Sent) {
    this.filters = emptyListToAbsent(sent.filters);
    this.footer = nullToAbsent(sent.footer);
    this.replacements = emptyListToAbsent(sent.replacements);
    this.translation = nullToAbsent(sent.translation);
    this.signature = nullToAbsent(sent.signature);
  }
}

/** One of `processing.filters` (D-28). */
export class FilterBody {
  @Must.beOneOf(['include', 'exclude'])
  @Must.bePresent('"include" or "exclude"')
  readonly mode: Filter['mode'];

  @Schema.items(() => ({ type: 'string', minLength: 1, maxLength: 200 }))
  @Must.haveAtMostItems(500)
  @Must.beArray('words')
  readonly words: unknown;

  @Is.checkedBy(checkPattern)
  readonly pattern: string | undefined;

  @Schema.items(() => ({ type: 'string' }))
  @Must.beArray('platforms')
  readonly platforms: unknown;

  constructor(sent: Sent) {
    this.mode = nullToAbsent(sent.mode) as Filter['mode'];
    this.words = emptyListToAbsent(sent.words);
    this.pattern = nullToAbsent(sent.pattern) as string | undefined;
    this.platforms = emptyListToAbsent(sent.platforms);
  }
}

/** `processing.footer` (D-28). */
export class FooterBody {
  @Is.text(500)
  readonly marker: string | undefined;

  @Is.checkedBy(checkCuttingPattern)
  readonly pattern: string | undefined;

  constructor(sent: Sent) {
    this.marker = nullToAbsent(sent.marker) as string | undefined;
    this.pattern = nullToAbsent(sent.pattern) as string | undefined;
  }
}

/** One of `processing.replacements` (D-28). */
export class ReplacementBody {
  @Is.text(500)
  @Must.bePresent('the text to replace')
  readonly from: string;

  /** May be empty: `from` is deleted then. */
  @Must.haveAtMostCharacters(2_000)
  @Must.beText()
  @Must.bePresent('the replacement; an empty one deletes the text')
  readonly to: string;

  @Must.beBoolean()
  readonly whole_word: Replacement['whole_word'];

  @Must.beBoolean()
  readonly ignore_case: Replacement['ignore_case'];

  constructor(sent: Sent) {
    this.from = nullToAbsent(sent.from) as string;
    this.to = nullToAbsent(sent.to) as string;
    this.whole_word = nullToAbsent(sent.whole_word) as Replacement['whole_word'];
    this.ignore_case = nullToAbsent(sent.ignore_case) as Replacement['ignore_case'];
  }
}

/** `processing.translation` (D-28). */
export class TranslationBody {
  @Must.beOneOf(['libretranslate'])
  @Must.bePresent('"libretranslate"')
  readonly provider: Translation['provider'];

  @Schema.is(() => ({ format: 'uri' }))
  @Must.beText()
  @Must.bePresent('the https:// URL of the service')
  readonly url: string;

  /** Absent: the key stored for the same URL stays; null or empty: the key is removed. */
  @Schema.is(() => ({ type: ['string', 'null'] }))
  @Is.credential()
  readonly api_key: string | undefined;

  @Is.matching(/^(?:auto|[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$/, 'a language code such as "ru", or "auto"')
  @Must.bePresent('the language to translate from, or "auto"')
  readonly source: string;

  @Is.matching(LANGUAGE, 'a language code such as "en"')
  @Must.bePresent('the language to translate into')
  readonly target: string;

  @Must.beOneOf(['publish_original', 'retry'])
  @Must.bePresent('"publish_original" or "retry"')
  readonly on_failure: Translation['on_failure'];

  constructor(sent: Sent) {
    this.provider = nullToAbsent(sent.provider) as Translation['provider'];
    this.url = nullToAbsent(sent.url) as string;
    this.api_key = emptyTextToAbsent(sent.api_key) as string | undefined;
    this.source = nullToAbsent(sent.source) as string;
    this.target = nullToAbsent(sent.target) as string;
    this.on_failure = nullToAbsent(sent.on_failure) as Translation['on_failure'];
  }
}

/** `processing.signature` (D-28). */
export class SignatureBody {
  @Is.text(4_000)
  @Must.bePresent('the text below every post')
  readonly text: string;

  @Schema.items(() => EntityDto)
  @Must.beArray('entities')
  readonly entities: unknown;

  @Schema.items(() => ({ type: 'string' }))
  @Must.beArray('platforms')
  readonly platforms: unknown;

  constructor(sent: Sent) {
    this.text = nullToAbsent(sent.text) as string;
    this.entities = emptyListToAbsent(sent.entities);
    this.platforms = emptyListToAbsent(sent.platforms);
  }
}
