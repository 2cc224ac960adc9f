import type { Api, Problems } from '../../../api/management.js';

/** Text formatting, as represented in the API. */
export type Entity = Api<'Entity'>;

/** One filter being edited. */
export interface FilterDraft {
  /** Identifies the row while it is being edited. */
  readonly key: number;
  readonly mode: 'include' | 'exclude';
  /** One per line. */
  readonly words: string;
  readonly pattern: string;
  /** Empty for all networks. */
  readonly platforms: readonly string[];
}

/** One replacement being edited. */
export interface ReplacementDraft {
  readonly key: number;
  readonly from: string;
  readonly to: string;
  readonly wholeWord: boolean;
  readonly ignoreCase: boolean;
}

/** The translation being edited. */
export interface TranslationDraft {
  readonly url: string;
  /** A new key; if empty, the key stored for the same URL is kept. */
  readonly apiKey: string;
  readonly removesKey: boolean;
  readonly source: string;
  readonly target: string;
  readonly onFailure: 'publish_original' | 'retry';
}

/** The signature being edited. */
export interface SignatureDraft {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Empty for all networks. */
  readonly platforms: readonly string[];
}

/** A project's processing settings being edited. */
export interface ProcessingDraft {
  readonly filters: readonly FilterDraft[];
  readonly footer: { readonly by: 'none' | 'marker' | 'pattern'; readonly text: string };
  readonly replacements: readonly ReplacementDraft[];
  readonly translation: TranslationDraft | null;
  readonly signature: SignatureDraft;
}

let lastKey = 0;
/** Returns a key for a new row. */
export const newKey = (): number => ++lastKey;

/** Converts a project's processing settings to a draft. */
export const toDraft = ({
  filters,
  footer,
  replacements,
  translation,
  signature,
}: Api<'Processing'>): ProcessingDraft => ({
  filters: (filters ?? []).map(({ mode, words, pattern, platforms }) => ({
    key: newKey(),
    mode,
    words: (words ?? []).join('\n'),
    pattern: pattern ?? '',
    platforms: platforms ?? [],
  })),
  footer: footer
    ? { by: footer.pattern === undefined ? 'marker' : 'pattern', text: footer.pattern ?? footer.marker ?? '' }
    : { by: 'none', text: '' },
  replacements: (replacements ?? []).map(({ from, to, whole_word, ignore_case }) => ({
    key: newKey(),
    from,
    to,
    wholeWord: whole_word ?? false,
    ignoreCase: ignore_case ?? false,
  })),
  translation: translation
    ? {
        url: translation.url,
        apiKey: '',
        removesKey: false,
        source: translation.source,
        target: translation.target,
        onFailure: translation.on_failure,
      }
    : null,
  signature: {
    text: signature?.text ?? '',
    entities: signature?.entities ?? [],
    platforms: signature?.platforms ?? [],
  },
});

const lines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const isBlankFilter = ({ words, pattern }: FilterDraft): boolean => words.trim() === '' && pattern === '';
const isBlankReplacement = ({ from, to }: ReplacementDraft): boolean => from === '' && to === '';

/** Returns the request body for a draft. Rows that were left empty are omitted. */
export const toBody = ({
  filters,
  footer,
  replacements,
  translation,
  signature,
}: ProcessingDraft): Api<'ProcessingRequest'> => ({
  ...(filters.some((filter) => !isBlankFilter(filter)) && {
    filters: filters
      .filter((filter) => !isBlankFilter(filter))
      .map(({ mode, words, pattern, platforms }) => ({
        mode,
        ...(words.trim() !== '' && { words: lines(words) }),
        ...(pattern !== '' && { pattern }),
        ...(platforms.length > 0 && { platforms }),
      })),
  }),
  ...(footer.by !== 'none' && { footer: { [footer.by]: footer.text } }),
  ...(replacements.some((replacement) => !isBlankReplacement(replacement)) && {
    replacements: replacements
      .filter((replacement) => !isBlankReplacement(replacement))
      .map(({ from, to, wholeWord, ignoreCase }) => ({
        from,
        to,
        ...(wholeWord && { whole_word: true }),
        ...(ignoreCase && { ignore_case: true }),
      })),
  }),
  ...(translation && {
    translation: {
      provider: 'libretranslate' as const,
      url: translation.url.trim(),
      source: translation.source.trim(),
      target: translation.target.trim(),
      on_failure: translation.onFailure,
      ...(translation.apiKey !== '' && { api_key: translation.apiKey }),
      ...(translation.removesKey && translation.apiKey === '' && { api_key: null }),
    },
  }),
  ...(signature.text !== '' && {
    signature: {
      text: signature.text,
      ...(signature.entities.length > 0 && { entities: signature.entities }),
      ...(signature.platforms.length > 0 && { platforms: signature.platforms }),
    },
  }),
});

/**
 * Maps problems from paths in the request to paths in the draft. Their indexes differ, because blank rows of the draft
 * are not sent.
 */
export const toDraftProblems = (problems: Problems, { filters, replacements }: ProcessingDraft): Problems => {
  const sent = {
    filters: filters.flatMap((filter, index) => (isBlankFilter(filter) ? [] : [index])),
    replacements: replacements.flatMap((replacement, index) => (isBlankReplacement(replacement) ? [] : [index])),
  };
  const moved: Record<string, Problems[string]> = {};
  for (const [path, problem] of Object.entries(problems)) {
    const inDraft = path
      .replace(/^processing\.?/, '')
      .replace(
        /^(filters|replacements)\[(\d+)\]/,
        (_, list: 'filters' | 'replacements', index: string) => `${list}[${sent[list][Number(index)] ?? index}]`,
      );
    moved[inDraft] ??= problem;
  }
  return moved;
};

/**
 * Returns the first problem with a part of the draft or anything inside it: the path `filters[1].words` also matches a
 * problem at `filters[1].words[3]`.
 */
export const problemIn = (problems: Problems, path: string): Problems[string] | undefined => {
  const found = Object.keys(problems).find(
    (each) => each === path || (each.startsWith(path) && /^[.[]/.test(each.slice(path.length))),
  );
  return found === undefined ? undefined : problems[found];
};

/** Text with its formatting. */
export interface Formatted {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** Returns the index, moved back by one if it would split a surrogate pair. */
const wholeStart = (text: string, at: number): number => (/[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at);

/** Returns the edited text with its entities adjusted, so that the same words stay formatted. */
export const editText = ({ text, entities }: Formatted, edited: string): Formatted => {
  const shorter = Math.min(text.length, edited.length);
  let start = 0;
  while (start < shorter && text[start] === edited[start]) start++;
  start = wholeStart(text, start);
  let kept = 0;
  while (kept < shorter - start && text.at(-1 - kept) === edited.at(-1 - kept)) kept++;
  if (/[\udc00-\udfff]/.test(text.charAt(text.length - kept))) kept--;
  const end = text.length - kept;
  return { text: edited, entities: entities.flatMap((entity) => moveEntity(entity, start, end, edited.length - kept)) };
};

/**
 * Adjusts an entity after the text from `start` to `end` was replaced by text that ends at `newEnd`. Text inserted at
 * the entity's edges stays outside it.
 */
const moveEntity = (entity: Entity, start: number, end: number, newEnd: number): Entity[] => {
  const { offset, length } = entity;
  const until = offset + length;
  const shift = newEnd - end;
  if (until <= start) return [entity];
  if (offset >= end) return [{ ...entity, offset: offset + shift }];
  const isAround = offset <= start && until >= end;
  const from = isAround || offset < start ? offset : newEnd;
  const to = isAround || until > end ? until + shift : start;
  return to > from ? [{ ...entity, offset: from, length: to - from }] : [];
};

/**
 * Formats a range. If an entity of that type already covers the range, removes the entity instead.
 * @param url the address of a link
 */
export const toggleFormat = (
  { text, entities }: Formatted,
  start: number,
  end: number,
  type: 'bold' | 'italic' | 'text_link',
  url?: string,
): Formatted => {
  const isSame = (entity: Entity): boolean =>
    entity.type === type && entity.offset <= start && entity.offset + entity.length >= end;
  if (entities.some(isSame)) return { text, entities: entities.filter((entity) => !isSame(entity)) };
  const added: Entity = { type, offset: start, length: end - start, ...(url !== undefined && { url }) };
  return { text, entities: [...entities, added].sort((a, b) => a.offset - b.offset || b.length - a.length) };
};
