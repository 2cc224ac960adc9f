import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Files that may cite a document: everything that git tracks or would track, without generated and golden files. */
const citing = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|js|cjs|md|yml)$/.test(file) && !file.includes('golden/') && existsSync(join(root, file)));

/** Citations in all files that match a pattern, as `file: citation` pairs of places and captured groups. */
const citations = (pattern: RegExp): { readonly place: string; readonly groups: readonly string[] }[] =>
  citing.flatMap((file) =>
    [...read(file).matchAll(pattern)].map(([all, ...groups]) => ({ place: `${file}: ${all}`, groups })),
  );

const headings = (file: string): string[] => [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, text]) => text!);

/** Citations whose target does not exist. */
const dead = (pattern: RegExp, isAlive: (...groups: string[]) => boolean): string[] =>
  citations(pattern)
    .filter(({ groups }) => !isAlive(...groups))
    .map(({ place }) => place);

const rules = new Set(headings('docs/rules.md').map((text) => text.split(' ')[0]));

const decisionFiles = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
/** Decisions with the file that has them, and the numbers that each replaces. */
const decisions = decisionFiles.flatMap((file) =>
  read(`docs/decisions/${file}`)
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const heading = section.split('\n')[0]!;
      const replaced = /^Replaces (.*)\.$/m.exec(section)?.[1]?.split(', ') ?? [];
      const [number, title] = [heading.split(' ')[0]!, heading.slice(heading.indexOf(' ') + 1)];
      return { file, number, title, replaced, words: section.split(/\s+/).length };
    }),
);
const decisionNumbers = decisions.flatMap(({ number, replaced }) => [number, ...replaced]);
const DOCUMENTS = ['publish-api', 'management-api', 'networks', 'security'];

/** True if a reference document has the cited heading, or the cited term in backquotes or bold. */
const hasPart = (document: string, part: string): boolean => {
  const text = read(`docs/reference/${document}.md`);
  const wanted = part
    .trim()
    .replace(/[\s.]+$/, '')
    .replaceAll('…', '')
    .replaceAll('`', '');
  return (
    headings(`docs/reference/${document}.md`).some((heading) => heading.replaceAll('`', '').includes(wanted)) ||
    text.includes(`\`${wanted}`) ||
    text.includes(`**${wanted}`)
  );
};

describe('citations', () => {
  it('of a rule (D-n) lead to docs/rules.md', () => {
    expect(dead(/\bD-(\d+)\b/g, (n) => rules.has(`D-${n}`))).toEqual([]);
  });

  it('of a decision (ADR-n) lead to docs/decisions', () => {
    const known = new Set(decisionNumbers);
    expect(dead(/\bADR-(\d+)\b/g, (n) => known.has(`ADR-${n}`))).toEqual([]);
  });

  it('of a decision are unambiguous: each number is there once, and a number only', () => {
    expect(decisionNumbers.filter((number) => !/^ADR-\d+$/.test(number))).toEqual([]);
    expect(decisionNumbers.filter((number, i) => decisionNumbers.indexOf(number) !== i)).toEqual([]);
  });

  it('of decisions in their index name number, title, replaced numbers and file of each', () => {
    const rows = [...read('docs/decisions/README.md').matchAll(/^\| \[(ADR-\d+)\].*$/gm)].map(([row]) =>
      row
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
    const shown = rows.map(([link, title, replaced, file]) => [
      /\[(.*)\]/.exec(link!)![1],
      title,
      replaced,
      /\((.*)\)/.exec(file!)![1],
    ]);
    const expected = decisions.map(({ number, title, replaced, file }) => [number, title, replaced.join(', '), file]);
    expect(shown.map(String).sort()).toEqual(expected.map(String).sort());
  });

  it('of decisions lead to half a page each', () => {
    expect(
      decisions.filter(({ words }) => words > 240).map(({ number, words }) => `${number}: ${words} words`),
    ).toEqual([]);
  });

  it('of a section of networks.md lead to its heading', () => {
    const sections = new Set(headings('docs/reference/networks.md').map((text) => /^\d+/.exec(text)?.[0]));
    expect(
      dead(/networks\.md §(\d)(?:(?:–§?|, §| and §)(\d))?/g, (...all) => all.every((n) => !n || sections.has(n))),
    ).toEqual([]);
  });

  it('of a part of a reference document lead to it', () => {
    const pattern = new RegExp(`(${DOCUMENTS.join('|')})\\.md: ([A-Za-z\`][^;,)'|*\\n]*?)(?=[;,)'|*\\n.:]|$)`, 'gm');
    expect(dead(pattern, (document, part) => hasPart(document, part))).toEqual([]);
  });

  it('of a document name one that exists', () => {
    const names = /(?<![\w/.-])((?:docs\/)?(?:reference\/)?[\w-]+\.md)\b/g;
    const places = ['', 'docs/', 'docs/reference/', 'docs/decisions/'];
    expect(dead(names, (name) => places.some((folder) => existsSync(join(root, folder, name))))).toEqual([]);
  });

  it('as Markdown links lead to files and headings', () => {
    const broken: string[] = [];
    const anchor = (text: string): string =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\d\s_-]/gu, '')
        .replaceAll(' ', '-');
    for (const file of citing.filter((name) => name.endsWith('.md'))) {
      for (const [all, target] of read(file).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target!)) continue;
        const [path, fragment] = target!.split('#');
        const to = path === '' ? file : join(dirname(file), path!);
        const isThere = existsSync(join(root, to));
        if (!isThere || (fragment && !headings(to).map(anchor).includes(fragment))) broken.push(`${file}: ${all}`);
      }
    }
    expect(broken).toEqual([]);
  });
});
