/**
 * Writes docs/reference/messages.md: all sentences of the files src/…/messages.ts. With `--print`, writes to stdout
 * instead. A group is an exported object; its docstring is the group's heading. Run `npm run messages` after a sentence
 * has changed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import prettier from 'prettier';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const TARGET = 'docs/reference/messages.md';

const INTRODUCTION = `# Messages

Generated from the source by \`npm run messages\`: every sentence that a user can receive. \`{…}\` is a value. A message that begins
with a small letter follows the path of the field that it is about (\`entities[2].offset must be 0 or more, not -1\`), or the name of
what it is about. Messages may be reworded at any time: programs use \`code\` and \`path\`.
`;

/** Returns the sentences of an object literal as pairs of their names and texts. */
const sentencesOf = (object, file, prefix = '') =>
  object.properties.flatMap((property) => {
    const name = `${prefix}${property.name.text}`;
    let value = property.initializer;
    if (ts.isObjectLiteralExpression(value)) return sentencesOf(value, file, `${name}.`);
    if (ts.isCallExpression(value) && value.expression.getText() === 'message') value = value.arguments[0];
    if (!ts.isStringLiteralLike(value)) throw new Error(`${file}: ${name} must be one string, or message('…')`);
    const doc = docOf(property);
    return [[doc === '' ? name : `${name} (${doc})`, value.text]];
  });

/** Returns the text of a declaration's docstring on one line. */
const docOf = (node) =>
  ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
    .replaceAll(/\s+/g, ' ');

const groupsOf = (file) => {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements.filter(ts.isVariableStatement).map((statement) => {
    const [{ name, initializer }] = statement.declarationList.declarations;
    const doc = docOf(statement);
    if (doc === '' || !initializer || !ts.isObjectLiteralExpression(initializer))
      throw new Error(`${file}: ${name.getText()} must be an object with a docstring`);
    return { doc, sentences: sentencesOf(initializer, file) };
  });
};

const files = readdirSync(join(ROOT, 'src'), { recursive: true })
  .filter((file) => /(^|\/)messages\.ts$/.test(file))
  .map((file) => `src/${file}`)
  .sort((one, other) => (dirname(one) < dirname(other) ? -1 : 1));

/** Formats a text as a code span, so that Markdown does not interpret it. */
const span = (text) => {
  const oneLine = text.replaceAll(/\n\s*/g, ' ⏎ ');
  return oneLine.includes('`') ? `\`\` ${oneLine} \`\`` : `\`${oneLine}\``;
};

const sections = files.map((file) => {
  const groups = groupsOf(file).map(
    ({ doc, sentences }) => `${doc}\n\n${sentences.map(([name, text]) => `- ${name}: ${span(text)}`).join('\n')}\n`,
  );
  return `## ${dirname(file).slice('src/'.length)}\n\n${groups.join('\n')}`;
});

const options = await prettier.resolveConfig(join(ROOT, TARGET));
const text = await prettier.format([INTRODUCTION, ...sections].join('\n'), { ...options, parser: 'markdown' });
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(join(ROOT, TARGET), text);
