/**
 * Writes src/api/documentation/answers.json, from which /openapi.json takes what only the source knows: the answers'
 * schemas, from the return types of the controllers' methods, and the docstrings of body and query fields. With
 * `--print`, writes to stdout instead. Run `npm run openapi` after a route, a body or a view has changed.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import prettier from 'prettier';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const TARGET = 'src/api/documentation/answers.json';
const METHODS = ['Get', 'Post', 'Put', 'Patch', 'Delete'];
/** Schema names for classes whose own name without `View` would be taken or unclear. */
const NAMES = {
  MediaView: 'UploadedMedia',
  ProblemView: 'ErrorBody',
  Problem: 'ErrorDetail',
  SandboxProblemView: 'SandboxErrorBody',
  PublishView: 'PublishResult',
  SandboxView: 'SandboxResult',
  PausesView: 'PauseResult',
  InfoView: 'Discovery',
};
/** Types that may be any JSON. */
const FREE = { Json: {}, JsonObject: { type: 'object' } };

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
const controllers = readdirSync(join(ROOT, 'src'), { recursive: true })
  .filter((file) => file.endsWith('.controller.ts'))
  .map((file) => join(ROOT, 'src', file))
  .sort();
const program = ts.createProgram(controllers, {
  ...options,
  noEmit: true,
  incremental: false,
  tsBuildInfoFile: undefined,
});
const checker = program.getTypeChecker();
const isOwn = (declaration) => !relative(ROOT, declaration.getSourceFile().fileName).includes('node_modules');

const fail = (message) => {
  throw new Error(message);
};

/** Returns a docstring on one line, without its references to rules and pages, which are not published. */
const docOf = (symbol) =>
  ts
    .displayPartsToString(symbol?.getDocumentationComment(checker) ?? [])
    .replaceAll(/\s*\((?:[^()]*?)(?:\bD-\d+|\bADR-\d+|[a-z-]+\.md)[^()]*\)/g, '')
    .replaceAll(/\{@link (\w+)[^}]*\}/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();

const schemas = {};
const namedTypes = new Map();

const has = (type, flag) => (type.flags & flag) !== 0;

/** Returns the name under which a type is listed; null for a type that is inlined. */
const nameOf = (type) => {
  const symbol = type.aliasSymbol ?? type.symbol;
  const [declaration] = symbol?.declarations ?? [];
  if (!declaration || !isOwn(declaration) || symbol.name.startsWith('__')) return null;
  const parameters =
    type.aliasTypeArguments ?? (type.objectFlags & ts.ObjectFlags.Reference ? checker.getTypeArguments(type) : []);
  const names = parameters.filter((each) => !each.isThisType).map(nameOf);
  if (names.includes(null)) return null;
  const own = NAMES[symbol.name] ?? symbol.name.replace(/View$/, '');
  return own === 'WithSecrets' ? null : [...names, own].join('');
};

const nullable = (schema) => {
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type === 'string' && !schema.enum) return { ...schema, type: [schema.type, 'null'] };
  if (schema.enum) return { ...schema, type: [schema.type, 'null'], enum: [...schema.enum, null] };
  return { anyOf: [schema, { type: 'null' }] };
};

const unionOf = (type) => {
  const members = type.types.filter((each) => !has(each, ts.TypeFlags.Undefined));
  const rest = members.filter((each) => !has(each, ts.TypeFlags.Null));
  const strings = rest.filter((each) => each.isStringLiteral());
  const booleans = rest.filter((each) => has(each, ts.TypeFlags.BooleanLiteral));
  const others = rest.filter((each) => !strings.includes(each) && !booleans.includes(each));
  const parts = others.map((each) => schemaOf(each));
  if (strings.length > 0) parts.push({ type: 'string', enum: strings.map(({ value }) => value).sort() });
  if (booleans.length === 2) parts.push({ type: 'boolean' });
  else if (booleans.length === 1) parts.push({ type: 'boolean', const: checker.typeToString(booleans[0]) === 'true' });
  const types = parts.map(({ type: name, ...more }) => (Object.keys(more).length === 0 ? name : undefined));
  const schema = parts.length === 1 ? parts[0] : types.includes(undefined) ? { anyOf: parts } : { type: types };
  if (rest.length === members.length) return schema;
  return Array.isArray(schema.type) ? { type: [...schema.type, 'null'] } : nullable(schema);
};

const objectOf = (type) => {
  const properties = {};
  const required = [];
  for (const property of checker.getPropertiesOfType(type)) {
    const declared = property.valueDeclaration ?? property.declarations?.[0];
    if (declared && ts.getCombinedModifierFlags(declared) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected))
      continue;
    const of = checker.getTypeOfSymbol(property);
    if (of.getCallSignatures().length > 0) continue;
    const description = docOf(property);
    const schema = schemaOf(of);
    const format =
      /ISO 8601/.test(description) && JSON.stringify(schema).includes('"string"') ? { format: 'date-time' } : {};
    properties[property.name] = { ...schema, ...format, ...(description !== '' && { description }) };
    if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name);
  }
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(index && { additionalProperties: schemaOf(index.type) }),
  };
};

/** Returns whether two types come from the same declaration, rather than from two with the same name. */
const isSameDeclaration = (a, b) =>
  (a.aliasSymbol ?? a.symbol) === (b.aliasSymbol ?? b.symbol) && checker.typeToString(a) === checker.typeToString(b);

/** Returns the schema of a type. */
const schemaOf = (type) => {
  const alias = type.aliasSymbol?.name ?? type.symbol?.name;
  if (alias in FREE) return FREE[alias];
  if (has(type, ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
  if (has(type, ts.TypeFlags.NonPrimitive)) return { type: 'object' };
  if (type.isStringLiteral()) return { type: 'string', const: type.value };
  if (type.isNumberLiteral()) return { type: 'number', const: type.value };
  if (has(type, ts.TypeFlags.BooleanLiteral)) return { type: 'boolean', const: checker.typeToString(type) === 'true' };
  if (has(type, ts.TypeFlags.StringLike)) return { type: 'string' };
  if (has(type, ts.TypeFlags.NumberLike)) return { type: 'number' };
  if (has(type, ts.TypeFlags.BooleanLike)) return { type: 'boolean' };
  if (has(type, ts.TypeFlags.Null)) return { type: 'null' };
  if (type.isUnion()) return unionOf(type);
  if (checker.isArrayType(type)) return { type: 'array', items: schemaOf(checker.getTypeArguments(type)[0]) };
  if (checker.isTupleType(type)) return { type: 'array', items: unionOf({ types: checker.getTypeArguments(type) }) };
  if (!has(type, ts.TypeFlags.Object | ts.TypeFlags.Intersection)) fail(`no schema for ${checker.typeToString(type)}`);
  const name = nameOf(type);
  if (name === null) return objectOf(type);
  const known = namedTypes.get(name);
  if (known === undefined) {
    namedTypes.set(name, type);
    const description = docOf(type.aliasSymbol ?? type.symbol);
    schemas[name] = { ...(description !== '' && { description }), ...objectOf(type) };
  } else if (known !== type && !isSameDeclaration(known, type))
    fail(`two types have the name ${name}: add one to NAMES in scripts/list-answers.js`);
  return { $ref: `#/components/schemas/${name}` };
};

const decoratorsOf = (node) =>
  (ts.getDecorators(node) ?? []).flatMap(({ expression }) =>
    ts.isCallExpression(expression) ? [{ name: expression.expression.getText(), args: expression.arguments }] : [],
  );

const pathOf = (args) => (args[0] && ts.isStringLiteralLike(args[0]) ? args[0].text : '');

/** Returns the type of an answer: the class that `@Documented` names, or else what the method returns. */
const answerTypeOf = (method, documented) => {
  const named = documented?.properties?.find(({ name }) => name?.getText() === 'answer')?.initializer;
  if (named && ts.isStringLiteralLike(named)) return null;
  if (named) return checker.getTypeAtLocation(named).getConstructSignatures()[0].getReturnType();
  const signature = checker.getSignatureFromDeclaration(method);
  const returned = checker.getReturnTypeOfSignature(signature);
  return checker.getAwaitedType(returned) ?? returned;
};

const answersOf = (type) => {
  if (type === null || has(type, ts.TypeFlags.VoidLike)) return {};
  const members = type.isUnion() ? type.types : [type];
  const problems = members.filter(({ symbol }) => symbol?.name.endsWith('ProblemView'));
  const successes = members.filter((each) => !problems.includes(each));
  return {
    success: successes.length === 1 ? schemaOf(successes[0]) : schemaOf(type),
    ...(problems.length > 0 && { problem: schemaOf(problems[0]) }),
  };
};

const routes = {};
const fields = {};

/** Records the docstrings of a class that describes a body or query. */
const noteFields = (node) => {
  const symbol = checker.getSymbolAtLocation(node.name);
  if (!symbol) return;
  const docs = {};
  for (const property of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))) {
    const description = docOf(property);
    if (description !== '') docs[property.name] = description;
  }
  if (Object.keys(docs).length > 0) fields[node.name.text] = { ...fields[node.name.text], ...docs };
};

const visit = (node) => {
  if (ts.isClassDeclaration(node) && node.name) {
    if (/(Body|Query|Dto)$/.test(node.name.text)) noteFields(node);
    const controller = decoratorsOf(node).find(({ name }) => name === 'Controller');
    if (controller)
      for (const method of node.members.filter(ts.isMethodDeclaration)) {
        const decorators = decoratorsOf(method);
        const route = decorators.find(({ name }) => METHODS.includes(name));
        const documented = decorators.find(({ name }) => name === 'Documented')?.args[0];
        if (!route || !documented) continue;
        const path = ['', pathOf(controller.args), pathOf(route.args)]
          .join('/')
          .replaceAll(/\/+/g, '/')
          .replace(/\/$/, '');
        routes[`${route.name.toUpperCase()} ${path}`] = answersOf(answerTypeOf(method, documented));
      }
  }
  ts.forEachChild(node, visit);
};

const problemFile = program.getSourceFiles().find(({ fileName }) => fileName.endsWith('transport/problem.view.ts'));
const problemClass = problemFile.statements.find(ts.isClassDeclaration);
schemaOf(checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(problemClass.name)));
for (const file of program.getSourceFiles())
  if (!file.isDeclarationFile && file.fileName.includes('/src/')) visit(file);

const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
const style = await prettier.resolveConfig(join(ROOT, TARGET));
const text = await prettier.format(
  JSON.stringify({ routes: sorted(routes), schemas: sorted(schemas), fields: sorted(fields) }),
  { ...style, parser: 'json' },
);
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(join(ROOT, TARGET), text);
