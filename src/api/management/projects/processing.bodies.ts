import type { Filter, Replacement, Translation } from '../../../domain/project/processing.js';
import { filledList, filledText, given } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { cuttingPatternComplaint, patternComplaint } from '../../../processing/pattern.js';
import { Is } from '../rules.js';

const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** The parts of `processing` as they are sent (management-api.md). */
export class ProcessingFields {
  @Must.haveAtMostItems(100)
  @Must.beArray('filters')
  readonly filters: unknown;

  readonly footer: unknown;

  @Must.haveAtMostItems(500)
  @Must.beArray('replacements')
  readonly replacements: unknown;

  readonly translation: unknown;

  readonly signature: unknown;

  constructor(sent: Sent) {
    this.filters = filledList(sent.filters);
    this.footer = given(sent.footer);
    this.replacements = filledList(sent.replacements);
    this.translation = given(sent.translation);
    this.signature = given(sent.signature);
  }
}

/** One of `processing.filters` (D-28). */
export class FilterDraft {
  @Must.beOneOf(['include', 'exclude'])
  @Must.bePresent('"include" or "exclude"')
  readonly mode: Filter['mode'];

  @Must.haveAtMostItems(500)
  @Must.beArray('words')
  readonly words: unknown;

  @Is.fine(patternComplaint)
  readonly pattern: string | undefined;

  @Must.beArray('platforms')
  readonly platforms: unknown;

  constructor(sent: Sent) {
    this.mode = given(sent.mode) as Filter['mode'];
    this.words = filledList(sent.words);
    this.pattern = given(sent.pattern) as string | undefined;
    this.platforms = filledList(sent.platforms);
  }
}

/** `processing.footer` (D-28). */
export class FooterDraft {
  @Is.text(500)
  readonly marker: string | undefined;

  @Is.fine(cuttingPatternComplaint)
  readonly pattern: string | undefined;

  constructor(sent: Sent) {
    this.marker = given(sent.marker) as string | undefined;
    this.pattern = given(sent.pattern) as string | undefined;
  }
}

/** One of `processing.replacements` (D-28). */
export class ReplacementDraft {
  @Is.text(500)
  @Must.bePresent('what is to be replaced')
  readonly from: string;

  /** May be empty: then `from` is taken out. */
  @Must.haveAtMostCharacters(2_000)
  @Must.beText()
  @Must.bePresent('what stands in its place; empty takes it out')
  readonly to: string;

  @Must.beBoolean()
  readonly whole_word: Replacement['whole_word'];

  @Must.beBoolean()
  readonly ignore_case: Replacement['ignore_case'];

  constructor(sent: Sent) {
    this.from = given(sent.from) as string;
    this.to = given(sent.to) as string;
    this.whole_word = given(sent.whole_word) as Replacement['whole_word'];
    this.ignore_case = given(sent.ignore_case) as Replacement['ignore_case'];
  }
}

/** `processing.translation` (D-28). */
export class TranslationDraft {
  @Must.beOneOf(['libretranslate'])
  @Must.bePresent('"libretranslate"')
  readonly provider: Translation['provider'];

  @Must.beText()
  @Must.bePresent('the https:// URL of the service')
  readonly url: string;

  /** Absent: the key that this address has already stays; null or empty: none any more. */
  @Is.credential()
  readonly api_key: string | undefined;

  @Is.like(/^(?:auto|[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$/, 'a language code such as "ru", or "auto"')
  @Must.bePresent('the language to translate from, or "auto"')
  readonly source: string;

  @Is.like(LANGUAGE, 'a language code such as "en"')
  @Must.bePresent('the language to translate into')
  readonly target: string;

  @Must.beOneOf(['publish_original', 'retry'])
  @Must.bePresent('"publish_original" or "retry"')
  readonly on_failure: Translation['on_failure'];

  constructor(sent: Sent) {
    this.provider = given(sent.provider) as Translation['provider'];
    this.url = given(sent.url) as string;
    this.api_key = filledText(sent.api_key) as string | undefined;
    this.source = given(sent.source) as string;
    this.target = given(sent.target) as string;
    this.on_failure = given(sent.on_failure) as Translation['on_failure'];
  }
}

/** `processing.signature` (D-28). */
export class SignatureDraft {
  @Is.text(4_000)
  @Must.bePresent('what stands below every text')
  readonly text: string;

  @Must.beArray('entities')
  readonly entities: unknown;

  @Must.beArray('platforms')
  readonly platforms: unknown;

  constructor(sent: Sent) {
    this.text = given(sent.text) as string;
    this.entities = filledList(sent.entities);
    this.platforms = filledList(sent.platforms);
  }
}
