import { existsSync, readFileSync } from 'node:fs';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const table = read('docs/conformance.md');
/** The rows of all its tables, without headers and separators: `[what, proof]`. */
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, what, proof]) => !/^-+$/.test(what!) && proof !== 'Proof');

/** Every citation, `file` › title: a title ends with its cell, or before another citation or a remark in brackets. */
const citations = rows.flatMap(([, , proof]) =>
  [...proof!.matchAll(/`([^`]+\.spec\.ts)` › (.+?)(?=; |\)$|$)/g)].map(([, file, title]) => ({
    file: file!,
    title: closeBracket(title!),
  })),
);

/** Adds the closing bracket that belongs to a title. */
function closeBracket(title: string): string {
  return title.split('(').length > title.split(')').length ? `${title})` : title;
}

describe('docs/conformance.md', () => {
  it('is parsed completely', () => {
    expect(citations.length).toBe(rows.join('\n').split('` › ').length - 1);
    expect(citations.length).toBeGreaterThan(100);
  });

  it.each([...new Set(citations.map(({ file }) => file))])('cites tests that exist in %s', (file) => {
    expect(existsSync(new URL(`../../${file}`, import.meta.url))).toBe(true);
    const source = read(file);
    expect(citations.filter((test) => test.file === file && !source.includes(test.title))).toEqual([]);
  });

  it('has in every row a proof, or a note that there is none yet', () => {
    expect(rows.filter(([, , proof]) => !/` › |\*\*Not yet\*\*/.test(proof!))).toEqual([]);
  });
});
