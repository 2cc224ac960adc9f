import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');

/** Files without sentences for users, or whose sentences are already in one place. */
const EXEMPT: readonly (readonly [file: RegExp, reason: string])[] = [
  [/\.spec\.ts$/, 'tests'],
  [/^cli\/commands\/completion\.ts$/, 'scripts for shells'],
  [/^api\/documentation\/docs\.controller\.ts$/, 'a script for browsers'],
  [
    /^(platforms\/[a-z]+|processing\/translation)\/(change-)?errors\.ts$/,
    'docs/reference/network-errors.md lists the tables of errors',
  ],
  [/^language\//, 'forms of messages in another language'],
  [/^media\/(helper|inspector|photo-editor)\.ts$/, 'reasons in the log'],
  [/^health\/(deployment-)?metrics\.ts$|^app\/http-server\.ts$/, 'help texts of metrics'],
  [/^config\/(schema|media-settings)\.ts$/, 'descriptions of settings: --help lists them'],
  [/^(event-store|runtime|projections)\//, 'errors that only the log shows'],
  [/^postgres\/migrations\/|\.(tables|sql)\.ts$/, 'SQL'],
];

/** Methods whose arguments operators read in the log. */
const LOGS = new Set(['debug', 'info', 'warn', 'error', 'fatal']);
/** Name of a message for the log (src/sagas/engine/run-under-lease.ts). */
const LOG_MESSAGE = 'failure';
/** Errors that mean a bug in the program, or that only the log shows. */
const INVARIANTS = new Set(['Error', 'TypeError', 'RangeError', 'NotAppended', 'ReadModelsBehind']);
const SQL =
  /^\s*(select|insert|update|delete|create|drop|alter|with|set|begin|lock|truncate|coalesce|case|join|from|where|on conflict|grant)\b/i;
/** Five words in a row. */
const SENTENCE = /(^|[\s"(])([A-Za-z]+(['’-][A-Za-z]+)*[,.:;!?)"]*\s+){4}[A-Za-z]/;

/** True if a node is a string in a place from which no user receives it. */
const isExempt = (node: ts.Node): boolean => {
  for (let child = node, parent = node.parent; parent; child = parent, parent = parent.parent) {
    if (ts.isVariableDeclaration(parent) && parent.name.getText() === LOG_MESSAGE) return true;
    if (ts.isNewExpression(parent)) return INVARIANTS.has(parent.expression.getText());
    if (ts.isCallExpression(parent) && parent.expression !== child) {
      const called = parent.expression;
      return ts.isDecorator(parent.parent) || (ts.isPropertyAccessExpression(called) && LOGS.has(called.name.text));
    }
  }
  return false;
};

/** Returns the sentences in a source text that belong in messages.ts, as `line: text`. */
const straySentences = (text: string): string[] => {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const content = ts.isTemplateExpression(node)
        ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
        : node.text;
      if (SENTENCE.test(content) && !SQL.test(content) && !isExempt(node))
        found.push(`${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${content}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

describe('sentences for users (ADR-119)', () => {
  it('stand in the files messages.ts', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('messages.ts'))
      .filter((file) => !EXEMPT.some(([pattern]) => pattern.test(file)));
    const stray = files.flatMap((file) =>
      straySentences(readFileSync(join(root, 'src', file), 'utf8')).map((sentence) => `src/${file}:${sentence}`),
    );
    expect(stray).toEqual([]);
  });

  it('are found elsewhere, also in templates and in arguments', () => {
    expect(
      straySentences(
        "reject('x', 'There is no such endpoint.');\nconst text = `${path} must be an integer, not ${value}`;",
      ),
    ).toEqual(['1: There is no such endpoint.', '2: … must be an integer, not …']);
  });

  it('are neither log messages, nor invariants, nor SQL, nor texts of decorators', () => {
    const allowed = [
      "log.warn({ a }, 'failed to do what was asked');",
      "const failure = 'failed to do what was asked';",
      "throw new Error('the order of these events is impossible');",
      "pool.query('select a, b from c where d is null');",
      "class A { @Must.bePresent('the text of the button') readonly text: unknown; }",
    ];
    expect(allowed.flatMap(straySentences)).toEqual([]);
  });

  it.each([
    ['docs/reference/messages.md', 'list-messages'],
    ['docs/reference/network-errors.md', 'list-network-errors'],
  ])('are all listed in %s: npm run messages', (file, script) => {
    const listed = readFileSync(join(root, file), 'utf8');
    expect(execFileSync(process.execPath, [`scripts/${script}.js`, '--print'], { cwd: root, encoding: 'utf8' })).toBe(
      listed,
    );
  });
});
