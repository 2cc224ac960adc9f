import type { ProcessingDraft } from '../../../commands/project/sealed-processing.js';
import { type Platform, PLATFORMS } from '../../../domain/channel/channel.events.js';
import type { Filter, Footer, Replacement, Signature, Translation } from '../../../domain/project/processing.js';
import type { AddressPolicy } from '../../../outbound-http/address-policy.js';
import { checkEntities } from '../../../payload/check-entities.js';
import { checkEach, checkObject, type Sent } from '../../../validation/check-fields.js';
import { EntityDto } from '../../../payload/payload.dto.js';
import type { Entity } from '../../../payload/payload.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { fetchUrlComplaint } from '../../../outbound-http/url-rules.js';
import { described, grouped, tooLong } from '../../../validation/wording.js';
import { programSize } from '../../../processing/pattern.js';
import { type DraftClass, fieldsOf, readPart } from '../request-body.js';
import {
  FilterDraft,
  FooterDraft,
  ProcessingFields,
  ReplacementDraft,
  SignatureDraft,
  TranslationDraft,
} from './processing.bodies.js';

const PATH = 'processing';

/**
 * Reads what a project does to posts (D-28; management-api.md: `processing`). What cannot work is refused here, all of it
 * with 422: a pattern that is no RE2, an unknown provider, an entity outside the signature.
 * @param policy which private addresses the translation service may be on; none outside tests.
 */
export const readProcessing = (
  value: unknown,
  policy: AddressPolicy,
  problems: ProblemList,
): ProcessingDraft | undefined => {
  if (!checkObject(value, PATH, problems)) return undefined;
  const fields = fieldsOf(ProcessingFields, PATH)(value, problems);
  const filters = readEach(fields.filters, `${PATH}.filters`, FilterDraft, problems, filterOf);
  const footer = readFooter(fields.footer, problems);
  const replacements = readEach(fields.replacements, `${PATH}.replacements`, ReplacementDraft, problems, replacementOf);
  const translation = readPart(fields.translation, `${PATH}.translation`, TranslationDraft, problems);
  if (translation) checkTranslation(translation, policy, problems);
  const signature = readSignature(fields.signature, problems);
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

/** Reads a list of objects; what is no array has been told before. */
const readEach = <D extends object, T>(
  list: unknown,
  path: string,
  Draft: DraftClass<D>,
  problems: ProblemList,
  read: (draft: D, path: string, problems: ProblemList) => T,
): T[] => {
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).flatMap((item, index) => {
    const place = `${path}[${index}]`;
    if (problems.isFull || !checkObject(item, place, problems)) return [];
    return [read(fieldsOf(Draft, place)(item, problems), place, problems)];
  });
};

const filterOf = ({ mode, words, pattern, platforms }: FilterDraft, path: string, problems: ProblemList): Filter => {
  if (words === undefined && pattern === undefined)
    problems.add(422, path, 'missing', 'says nothing to look for: send words, a pattern, or both');
  const list = Array.isArray(words) ? (words as unknown[]) : [];
  for (const [index, word] of list.entries())
    if (typeof word !== 'string' || word.trim() === '' || word.length > 200)
      problems.add(422, `${path}.words[${index}]`, 'bad_word', `must be 1 to 200 characters, not ${described(word)}`);
  return compact({
    mode,
    words: list.length > 0 ? (list as string[]) : undefined,
    pattern,
    platforms: readPlatforms(platforms, path, problems),
  });
};

const replacementOf = ({ from, to, whole_word, ignore_case }: ReplacementDraft): Replacement =>
  compact({ from, to, whole_word, ignore_case });

const readFooter = (value: unknown, problems: ProblemList): Footer | undefined => {
  const path = `${PATH}.footer`;
  const draft = readPart(value, path, FooterDraft, problems);
  if (!draft) return undefined;
  const { marker, pattern } = draft;
  if ((marker === undefined) === (pattern === undefined))
    problems.add(422, path, 'missing', 'must have either a marker or a pattern');
  return compact({ marker, pattern });
};

/** Of all patterns together, in RE2's instructions: the longest text then takes a fraction of a second. */
const MAX_PROGRAMS = 2_000;
/** Of all filters' words together, in UTF-16 units. */
const MAX_WORDS = 20_000;

/** Every post of the project takes the time of all its patterns and words, and others' posts wait for it. */
const checkCost = (filters: readonly Filter[], footer: Footer | undefined, problems: ProblemList): void => {
  const patterns = [...filters, footer].flatMap((part) => part?.pattern ?? []).filter(isText);
  const steps = patterns.reduce((sum, pattern) => sum + programSize(pattern), 0);
  if (steps > MAX_PROGRAMS)
    problems.add(
      422,
      PATH,
      'too_large',
      `has patterns that together take ${grouped(steps)} steps for each character; at most ${grouped(MAX_PROGRAMS)} are allowed`,
    );
  const words = filters.flatMap((filter) => filter.words ?? []).filter(isText);
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  if (letters > MAX_WORDS)
    problems.add(
      422,
      `${PATH}.filters`,
      'too_long',
      `have words that together ${tooLong(letters, MAX_WORDS, 'characters').replace(/^is/, 'are')}`,
    );
};

/** What is none was told of where it stands, and costs nothing. */
const isText = (value: unknown): value is string => typeof value === 'string';

const checkTranslation = ({ url }: TranslationDraft, policy: AddressPolicy, problems: ProblemList): void => {
  const complaint = typeof url === 'string' ? fetchUrlComplaint(url, policy) : undefined;
  if (complaint) problems.add(422, `${PATH}.translation.url`, complaint.code, complaint.what);
};

const translationOf = ({ provider, url, source, target, on_failure }: TranslationDraft): Translation => ({
  ...{ provider, url, source, target, on_failure },
});

const keyOf = ({ api_key }: TranslationDraft, sent: Sent): string | null | undefined =>
  api_key ?? ('api_key' in sent ? null : undefined);

const readSignature = (value: unknown, problems: ProblemList): Signature | undefined => {
  const path = `${PATH}.signature`;
  const draft = readPart(value, path, SignatureDraft, problems);
  if (!draft) return undefined;
  const { text, entities: list, platforms } = draft;
  const placed: (Entity | undefined)[] = [];
  for (const { dto, index, wrong } of checkEach(EntityDto, list, `${path}.entities`, problems))
    if (wrong.size === 0) placed[index] = compact({ ...dto }) as unknown as Entity;
  if (typeof text === 'string') problems.addAll(422, checkEntities(text, placed, `${path}.entities`));
  const entities = placed.filter((entity) => entity !== undefined);
  return compact({
    text,
    entities: entities.length > 0 ? entities : undefined,
    platforms: readPlatforms(platforms, path, problems),
  });
};

const readPlatforms = (value: unknown, path: string, problems: ProblemList): Platform[] | undefined => {
  if (!Array.isArray(value)) return undefined;
  for (const [index, platform] of (value as unknown[]).entries())
    if (!(PLATFORMS as readonly unknown[]).includes(platform))
      problems.add(
        422,
        `${path}.platforms[${index}]`,
        'unknown_value',
        `must be one of ${PLATFORMS.join(', ')}, not ${described(platform)}`,
      );
  return [...new Set(value as Platform[])];
};

/** Without the fields that were not sent: what is stored is what was meant. */
const compact = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
