import type { UnsealedProcessing } from '../../../commands/project.js';
import type { Platform } from '../../../domain/channel/channel.events.js';
import type { Filter, Footer, Replacement, Signature, Translation } from '../../../domain/project/processing.js';
import { oneOf } from '../../../kernel/message.js';
import { type AddressPolicy, findFetchUrlProblem } from '../../../outbound-http/url-rules.js';
import { EntityDto } from '../../../payload/payload.dto.js';
import type { Entity } from '../../../payload/payload.js';
import { findEntityProblems } from '../../../payload/read-lists.js';
import { checkCuttingPattern, checkPattern, programSize } from '../../../processing/pattern.js';
import {
  type BodyClass,
  checkEach,
  checkObject,
  emptyListToAbsent,
  emptyTextToAbsent,
  ReadAs,
  type Sent,
} from '../../../validation/check-fields.js';
import { Schema } from '../../../validation/json-schema.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { describeValue, formatCount } from '../../../validation/wording.js';
import { fieldsReader } from '../../transport/fields.js';
import { BODY_MESSAGES, PROCESSING_BODY_MESSAGES } from '../messages.js';
import { readPart } from '../request-body.js';

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

const PATH = 'processing';
/** Maximum length of a filter word, in UTF-16 units. */
const MAX_WORD = 200;

/** Deployment-dependent inputs to the `processing` checks. */
export interface ProcessingRules {
  /** Addresses allowed for the translation service: public addresses, and those in ALLOW_PRIVATE_ADDRESSES. */
  readonly policy: AddressPolicy;
  /** Ids of the networks to which a filter or signature may be limited. */
  readonly platforms: readonly Platform[];
}

/**
 * Reads the processing of a project's posts (D-28; management-api.md: `processing`); null means none. Reports settings
 * that cannot work, such as a pattern that RE2 cannot compile.
 * @returns undefined for an absent or malformed value
 */
export const readProcessing = (
  value: unknown,
  { policy, platforms }: ProcessingRules,
  problems: ProblemList,
): UnsealedProcessing | undefined => {
  if (value === null) return { processing: {} };
  if (value === undefined || !checkObject(value, PATH, problems)) return undefined;
  const fields = fieldsReader(ProcessingBody, PATH)(value, problems);
  const filters = readEach(fields.filters, `${PATH}.filters`, FilterBody, problems, (filter, path) =>
    filterOf(filter, path, platforms, problems),
  );
  const footer = readFooter(fields.footer, problems);
  const replacements = readEach(fields.replacements, `${PATH}.replacements`, ReplacementBody, problems, compact);
  const translation = readPart(fields.translation, `${PATH}.translation`, TranslationBody, problems);
  if (translation) checkTranslation(translation, policy, problems);
  const signature = readSignature(fields.signature, platforms, problems);
  checkCost(filters, footer, problems);
  return {
    processing: compact({
      filters: filters.length > 0 ? filters : undefined,
      footer,
      replacements: replacements.length > 0 ? replacements : undefined,
      translation: translation && translationOf(translation),
      signature,
    }),
    translationKey: translation && keyOf(translation, fields.translation as Sent),
  };
};

/** Reads a list of objects. A value that is not an array has already been reported. */
const readEach = <B extends object, T>(
  list: unknown,
  path: string,
  Draft: BodyClass<B>,
  problems: ProblemList,
  read: (body: B, path: string, problems: ProblemList) => T,
): T[] => {
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).flatMap((item, index) => {
    const place = `${path}[${index}]`;
    if (problems.isFull || !checkObject(item, place, problems)) return [];
    return [read(fieldsReader(Draft, place)(item, problems), place, problems)];
  });
};

const filterOf = (
  filter: FilterBody,
  path: string,
  known: ProcessingRules['platforms'],
  problems: ProblemList,
): Filter => {
  const { words, pattern, platforms } = filter;
  if (words === undefined && pattern === undefined)
    problems.add(422, path, 'missing', PROCESSING_BODY_MESSAGES.emptyFilter);
  const list = Array.isArray(words) ? (words as unknown[]) : [];
  for (const [index, word] of list.entries())
    if (typeof word !== 'string' || word.trim() === '' || word.length > MAX_WORD)
      problems.add(
        422,
        `${path}.words[${index}]`,
        'bad_word',
        BODY_MESSAGES.shorterText({ limit: MAX_WORD, value: describeValue(word) }),
      );
  return compact({
    ...filter,
    words: list.length > 0 ? (list as string[]) : undefined,
    platforms: readPlatforms(platforms, path, known, problems),
  });
};

const readFooter = (value: unknown, problems: ProblemList): Footer | undefined => {
  const path = `${PATH}.footer`;
  const body = readPart(value, path, FooterBody, problems);
  if (!body) return undefined;
  if ((body.marker === undefined) === (body.pattern === undefined))
    problems.add(422, path, 'missing', PROCESSING_BODY_MESSAGES.footerParts);
  return compact(body);
};

/**
 * Maximum total size of all patterns, in RE2 instructions. Searching the longest text then takes a fraction of a
 * second.
 */
const MAX_PROGRAMS = 2_000;
/** Maximum total length of the words in all filters, in UTF-16 units. */
const MAX_WORDS = 20_000;

/** Limits the cost of a project's patterns and words, because other posts wait while one of its posts is processed. */
const checkCost = (filters: readonly Filter[], footer: Footer | undefined, problems: ProblemList): void => {
  const patterns = [...filters, footer].flatMap((part) => part?.pattern ?? []).filter(isText);
  const steps = patterns.reduce((sum, pattern) => sum + programSize(pattern), 0);
  if (steps > MAX_PROGRAMS)
    problems.add(
      422,
      PATH,
      'too_large',
      PROCESSING_BODY_MESSAGES.patternsTooLarge({ steps: formatCount(steps), limit: formatCount(MAX_PROGRAMS) }),
    );
  const words = filters.flatMap((filter) => filter.words ?? []).filter(isText);
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  if (letters > MAX_WORDS)
    problems.add(
      422,
      `${PATH}.filters`,
      'too_long',
      PROCESSING_BODY_MESSAGES.wordsTooLong({
        length: formatCount(letters),
        limit: formatCount(MAX_WORDS),
        excess: formatCount(letters - MAX_WORDS),
      }),
    );
};

/** Excludes values of other types, which have already been reported and cost nothing. */
const isText = (value: unknown): value is string => typeof value === 'string';

const checkTranslation = ({ url }: TranslationBody, policy: AddressPolicy, problems: ProblemList): void => {
  const problem = typeof url === 'string' ? findFetchUrlProblem(url, policy) : undefined;
  if (problem) problems.add(422, `${PATH}.translation.url`, problem.code, problem.predicate);
};

/** Copies only the fields that events may store, so that no secret ends up in an event. */
const translationOf = ({ provider, url, source, target, on_failure }: TranslationBody): Translation => ({
  provider,
  url,
  source,
  target,
  on_failure,
});

const keyOf = ({ api_key }: TranslationBody, sent: Sent): string | null | undefined =>
  api_key ?? ('api_key' in sent ? null : undefined);

const readSignature = (
  value: unknown,
  known: ProcessingRules['platforms'],
  problems: ProblemList,
): Signature | undefined => {
  const path = `${PATH}.signature`;
  const body = readPart(value, path, SignatureBody, problems);
  if (!body) return undefined;
  const { text, entities: list, platforms } = body;
  const entities = readEntities(text, list, `${path}.entities`, problems);
  return compact({
    text,
    entities: entities.length > 0 ? entities : undefined,
    platforms: readPlatforms(platforms, path, known, problems),
  });
};

/**
 * Parses the entities that belong to a string of text. Reports malformed entities and entities that do not fit the
 * text.
 * @param path the path of the entity list
 */
export const readEntities = (text: unknown, list: unknown, path: string, problems: ProblemList): Entity[] => {
  const placed: (Entity | undefined)[] = [];
  for (const { dto, index, wrong } of checkEach(EntityDto, list, path, problems))
    if (wrong.size === 0) placed[index] = compact({ ...dto }) as unknown as Entity;
  if (typeof text === 'string') problems.addAll(422, findEntityProblems(text, placed, path));
  return placed.filter((entity) => entity !== undefined);
};

const readPlatforms = (
  value: unknown,
  path: string,
  known: ProcessingRules['platforms'],
  problems: ProblemList,
): Platform[] | undefined => {
  if (!Array.isArray(value)) return undefined;
  for (const [index, platform] of (value as unknown[]).entries())
    if (!(known as readonly unknown[]).includes(platform))
      problems.add(
        422,
        `${path}.platforms[${index}]`,
        'unknown_value',
        FIELD_MESSAGES.notOneOf({ values: oneOf(known), value: describeValue(platform) }),
      );
  return [...new Set(value as Platform[])];
};

/** Removes undefined fields, so that only fields that were sent are stored. */
const compact = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
