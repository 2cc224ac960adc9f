import { existsSync, readFileSync } from 'node:fs';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const table = read('docs/conformance.md');
/** Rows of all its tables, without their heads and rulers: `[what, proof]`. */
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, what, proof]) => !/^-+$/.test(what!) && proof !== 'Proof');

/** Every `file` › words of a title: a title ends with its cell, or where another test or a remark in brackets begins. */
const cited = rows.flatMap(([, , proof]) =>
  [...proof!.matchAll(/`([^`]+\.spec\.ts)` › (.+?)(?=; |\)$|$)/g)].map(([, file, title]) => ({
    file: file!,
    title: balanced(title!),
  })),
);

/** A bracket that a title has opened is the title's own. */
function balanced(title: string): string {
  return title.split('(').length > title.split(')').length ? `${title})` : title;
}

describe('docs/conformance.md', () => {
  it('is read as it was meant', () => {
    expect(cited.length).toBe(rows.join('\n').split('` › ').length - 1);
    expect(cited.length).toBeGreaterThan(100);
  });

  it.each([...new Set(cited.map(({ file }) => file))])('%s is there, with every test that is named', (file) => {
    expect(existsSync(new URL(`../../${file}`, import.meta.url))).toBe(true);
    const source = read(file);
    expect(cited.filter((test) => test.file === file && !source.includes(test.title))).toEqual([]);
  });

  it('has a proof, or says that there is none yet, in every row', () => {
    expect(rows.filter(([, , proof]) => !/` › |\*\*Not yet\*\*/.test(proof!))).toEqual([]);
  });
});
