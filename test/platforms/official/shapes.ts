import { readFileSync } from 'node:fs';

/**
 * The shape of a JSON value: a name of an object of the description, or `integer`, `number`, `string`, `boolean`, `null`,
 * `any`, `=a literal string or boolean`, `[list]`, `{map}`, `one|another`; or the members of an object. A member whose
 * name ends with `?` may be absent; `extends` names an object whose members it has too. An inferred list is an array.
 */
export type Shape = string | Members | readonly [Shape];
interface Members {
  readonly [member: string]: Shape;
}

/** What a network's own documents say about its calls, as data. */
export interface Description {
  /** Where it comes from. */
  readonly source: string;
  readonly objects: Readonly<Record<string, Shape>>;
  /** Body of a successful answer, by method. A text that is not JSON is a string. */
  readonly answers: Readonly<Record<string, Shape>>;
  /** Names of the parameters, by method; under `*`, those of all methods. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
}

/** Reads a network's description. */
export const readDescription = (network: string): Description =>
  JSON.parse(readFileSync(new URL(`./${network}.json`, import.meta.url), 'utf8')) as Description;

/** A difference between a value and a shape. */
export interface ShapeProblem {
  /** Where: `result.chat.id`. Items of lists are `[]`, values of maps `{}`. */
  readonly path: string;
  readonly kind: 'missing' | 'wrong type' | 'unknown member';
  /** The shape that is expected; what the value has instead, for an unknown member. */
  readonly shape: string;
  /** What the value has. */
  readonly found: string;
}

/** Compares a value with a shape. Returns what differs, each difference once. */
export const findShapeProblems = (
  value: unknown,
  shape: Shape,
  objects: Description['objects'] = {},
): readonly ShapeProblem[] => {
  const check = (one: unknown, expected: Shape, path: string): ShapeProblem[] => {
    if (isList(expected))
      return Array.isArray(one)
        ? (one as unknown[]).flatMap((item) => check(item, expected[0], `${path}[]`))
        : [wrongType(one, 'list', path)];
    if (typeof expected !== 'string') return checkMembers(one, expected, path);
    const choices = splitChoices(expected);
    if (choices.length > 1) {
      const results = choices.map((choice) => check(one, choice, path));
      if (results.some((problems) => problems.length === 0)) return [];
      // The choice that fits best explains what is wrong: one whose literals fit, with the fewest problems.
      const inside = results.filter((problems) => !problems.some((problem) => isAbout(problem, path)));
      const [best] = inside.sort((a, b) => a.length - b.length);
      return best ?? [wrongType(one, expected, path)];
    }
    if (expected === 'any') return [];
    if (expected.startsWith('=')) return String(one) === expected.slice(1) ? [] : [wrongType(one, expected, path)];
    if (expected.startsWith('[')) return check(one, [expected.slice(1, -1)], path);
    if (expected.startsWith('{'))
      return isObject(one)
        ? Object.values(one).flatMap((item) => check(item, expected.slice(1, -1), `${path}{}`))
        : [wrongType(one, 'object', path)];
    const members = objects[expected];
    if (members !== undefined) return check(one, members, path);
    if (!SIMPLE.has(expected)) throw new Error(`no object ${expected} is described`);
    const type = typeOf(one);
    return type === expected || (type === 'integer' && expected === 'number') ? [] : [wrongType(one, expected, path)];
  };

  const checkMembers = (one: unknown, expected: Members, path: string): ShapeProblem[] => {
    if (!isObject(one)) return [wrongType(one, 'object', path)];
    const members = membersOf(expected);
    const known = new Set(Object.keys(members).map((name) => name.replace(/\?$/, '')));
    return [
      ...Object.entries(members).flatMap(([key, member]): ShapeProblem[] => {
        const name = key.replace(/\?$/, '');
        const at = path === '' ? name : `${path}.${name}`;
        if (name in one) return check(one[name], member, at);
        return key.endsWith('?') ? [] : [{ path: at, kind: 'missing', shape: nameOf(member), found: 'nothing' }];
      }),
      ...Object.keys(one)
        .filter((name) => !known.has(name))
        .map((name): ShapeProblem => {
          const found = nameOf(inferShape([one[name]]));
          return { path: path === '' ? name : `${path}.${name}`, kind: 'unknown member', shape: 'nothing', found };
        }),
    ];
  };

  const membersOf = ({ extends: parent, ...own }: Members): Members =>
    typeof parent === 'string' ? { ...membersOf(objects[parent] as Members), ...own } : own;

  const seen = new Map(check(value, shape, '').map((problem) => [`${problem.kind} ${problem.path}`, problem]));
  return [...seen.values()];
};

/** True if a problem says that the value at `path` is none of this choice: it has another type or another literal. */
const isAbout = ({ path: at, kind, shape }: ShapeProblem, path: string): boolean =>
  kind === 'wrong type' && (at === path || (shape.startsWith('=') && at.lastIndexOf('.') <= path.length));

const SIMPLE: ReadonlySet<string> = new Set(['integer', 'number', 'string', 'boolean', 'null']);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
};

const wrongType = (value: unknown, shape: string, path: string): ShapeProblem => ({
  path,
  kind: 'wrong type',
  shape,
  found: shape.startsWith('=') ? JSON.stringify(value)?.slice(0, 60) : typeOf(value),
});

/** Splits `a|[b|c]` at the bars that are not within brackets. */
const splitChoices = (shape: string): string[] => {
  const choices: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= shape.length; at++) {
    if ('[{'.includes(shape[at] ?? ' ')) depth++;
    if (']}'.includes(shape[at] ?? ' ')) depth--;
    if (at < shape.length && (shape[at] !== '|' || depth > 0)) continue;
    choices.push(shape.slice(from, at));
    from = at + 1;
  }
  return choices;
};

const nameOf = (shape: Shape): string => {
  if (typeof shape === 'string') return shape;
  return isList(shape) ? 'list' : 'object';
};

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

/** Members whose object is a map: its keys are ids. */
const MAPS: ReadonlySet<string> = new Set(['photos', 'participants']);

/** Returns the shape that all values have; a member that some objects lack is optional. */
export const inferShape = (values: readonly unknown[], name = ''): Shape => {
  const objects = values.filter(isObject);
  const lists = values.filter((value) => Array.isArray(value)) as unknown[][];
  if (values.length > 0 && objects.length === values.length) {
    if (MAPS.has(name)) return '{any}';
    const names = [...new Set(objects.flatMap((one) => Object.keys(one)))];
    return Object.fromEntries(
      names.map((key): [string, Shape] => {
        const having = objects.filter((one) => key in one).map((one) => one[key]);
        return [having.length === objects.length ? key : `${key}?`, inferShape(having, key)];
      }),
    );
  }
  if (lists.length > 0 && lists.length === values.length) {
    const items = lists.flat();
    return items.length === 0 ? '[any]' : [inferShape(items)];
  }
  const types = values.map((value) => (isObject(value) || Array.isArray(value) ? 'any' : typeOf(value)));
  return [...new Set(types)].join('|') || 'any';
};

/** Says a difference in words. @param ours what the shape comes from, @param theirs what the value comes from */
export const describeProblem = ({ path, kind, shape, found }: ShapeProblem, ours: string, theirs: string): string => {
  const what = path === '' ? 'the answer' : path;
  switch (kind) {
    case 'missing':
      return `${ours} has ${what} (${shape}), ${theirs} does not`;
    case 'unknown member':
      return `${theirs} has ${what} (${found}), ${ours} does not`;
    case 'wrong type':
      return `${what} is ${shape} in ${ours}, and ${found} in ${theirs}`;
  }
};
