const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const TOKEN = /<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>|<|>/gi;

/** Invalid HTML. */
export class InvalidMarkup extends Error {}

/** Marks every word with the language: `мир` becomes `мир·en`. Leaves everything between words unchanged. */
export const pseudoTranslate = (text: string, target: string): string => text.replace(WORD, `$&·${target}`);

/**
 * Translates the text in an HTML fragment with {@link pseudoTranslate}. Keeps tags, attributes and elements with
 * `translate="no"`; keeps character references only where HTML needs them.
 */
export const pseudoTranslateHtml = (html: string, target: string): string => {
  const open: { readonly name: string; readonly isUntranslated: boolean }[] = [];
  let result = '';
  let at = 0;
  const appendUpTo = (position: number): void => {
    const text = decodeReferences(html.slice(at, position));
    result += encodeReferences(open.at(-1)?.isUntranslated ? text : pseudoTranslate(text, target));
  };
  for (const token of html.matchAll(TOKEN)) {
    const [whole, slash, name = '', attributes = ''] = token;
    if (slash === undefined) throw new InvalidMarkup(`a lone ${whole}`);
    appendUpTo(token.index);
    at = token.index + whole.length;
    result += whole;
    if (slash === '')
      open.push({ name, isUntranslated: open.at(-1)?.isUntranslated === true || /\btranslate="no"/.test(attributes) });
    else if (open.pop()?.name !== name) throw new InvalidMarkup(`${whole} has no opening tag`);
  }
  if (open.length > 0) throw new InvalidMarkup(`<${open.at(-1)!.name}> is not closed`);
  appendUpTo(html.length);
  return result;
};

const REFERENCES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' } as const;

const decodeReferences = (html: string): string =>
  html.replace(/&[a-z0-9#]*;?/gi, (reference) => {
    const character = REFERENCES[reference as keyof typeof REFERENCES];
    if (character === undefined) throw new InvalidMarkup(`${reference} is not a known character reference`);
    return character;
  });

const encodeReferences = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
