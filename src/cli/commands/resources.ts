import type { PathOf, RouteOf } from '../../../clients/typescript/src/index.js';
import {
  camelCase,
  type Define,
  fieldOption,
  fieldOptions,
  limitOf,
  type Options,
  type QueryOf,
  queryOf,
  wholeNumber,
} from '../define.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import { type Column, readBody, setMember, WrongUsage } from '../output.js';

/** Type of a field, which decides how an option's text is parsed. */
type FieldType = 'text' | 'number' | 'boolean' | 'list';

type Fields<Names extends PropertyKey = string> = { readonly [Name in Names]?: FieldType };

/** Collections of the management API whose members can be created, changed and deleted. */
type Path = '/owners' | '/channels' | '/projects' | '/endpoints' | '/webhook-outputs' | '/keys';

type NamesIn<Part> = Part extends object ? keyof Part & string : never;
type BodyOf<Route extends { readonly takes: object }> = Route['takes'] extends { readonly body?: infer Body }
  ? Body
  : never;
type FieldOf<P extends Path> = NamesIn<BodyOf<RouteOf<'POST', P>> | BodyOf<RouteOf<'PATCH', `${P}/{id}`>>>;
type FilterOf<P extends Path> = NamesIn<QueryOf<P>>;
type ActionOf<P extends Path, Route = PathOf<'POST'>> = Route extends `${P}/{id}/${infer Action}` ? Action : never;

/** A resource of the management API. Its fields, filters and actions have the same names as in the API. */
interface ResourceAt<P extends Path> {
  readonly name: string;
  readonly path: P;
  readonly fields: Fields<FieldOf<P>>;
  /** Filters of the list. */
  readonly filters: readonly FilterOf<P>[];
  readonly columns: readonly Column[];
  /** POST routes for one resource, with the fields of their bodies. */
  readonly actions: { readonly [Action in ActionOf<P>]?: Readonly<Record<string, FieldType>> };
  /** Shell variable that holds an id in the examples. */
  readonly variable: string;
  readonly example: { readonly create: string; readonly update: string };
}

type Resource = { [P in Path]: ResourceAt<P> }[Path];

type ActionPath = { [P in Path]: `${P}/{id}/${ActionOf<P>}` }[Path];

const RESOURCES: readonly Resource[] = [
  {
    name: 'owners',
    path: '/owners',
    fields: { name: 'text', plan: 'text', locale: 'text' },
    filters: [],
    columns: ['id', 'plan', ['LEFT', 'posts_left'], 'name'],
    actions: {
      'rotate-key': { overlap_minutes: 'number' },
      'post-packs': { posts: 'number' },
      'erase-content': { before: 'text' },
    },
    variable: '$OWNER',
    example: { create: "--name 'Corner shop' --plan standard", update: '--plan pro' },
  },
  {
    name: 'channels',
    path: '/channels',
    fields: { owner_id: 'text', platform: 'text', name: 'text', enabled: 'boolean' },
    filters: ['status', 'owner_id'],
    columns: ['id', 'platform', 'status', 'paused_until', 'name'],
    actions: { test: {}, retry: {} },
    variable: '$CHANNEL',
    example: {
      create:
        '--owner-id $OWNER --platform telegram --name News --set credentials.bot_token=$BOT_TOKEN --set credentials.chat_id=-1001234567890',
      update: '--name "Evening news" --set settings.on_doubt=resend',
    },
  },
  {
    name: 'projects',
    path: '/projects',
    fields: { owner_id: 'text', name: 'text', channel_ids: 'list' },
    filters: ['owner_id'],
    columns: ['id', 'paused_until', 'name', ['CHANNELS', 'channel_ids']],
    actions: {},
    variable: '$PROJECT',
    example: { create: '--owner-id $OWNER --name News --channel-ids $CHANNEL', update: '--name "Evening news"' },
  },
  {
    name: 'endpoints',
    path: '/endpoints',
    fields: {
      owner_id: 'text',
      name: 'text',
      project_ids: 'list',
      mode: 'text',
      min_interval: 'number',
      require_signature: 'boolean',
      require_timestamp: 'boolean',
      ip_allowlist: 'list',
      verbose_discovery: 'boolean',
      requires_approval: 'boolean',
      allow_changes: 'boolean',
    },
    filters: ['owner_id'],
    columns: ['id', 'slug', 'mode', ['ACTIVE', 'is_active'], 'disabled_by', 'name'],
    actions: {
      enable: {},
      disable: {},
      'rotate-token': {},
      'cancel-planned': { since: 'text' },
      'rotate-slug': {},
      'rotate-secret': { overlap_minutes: 'number' },
    },
    variable: '$ENDPOINT',
    example: {
      create: '--owner-id $OWNER --name Shop --project-ids $PROJECT --mode live',
      update: '--require-signature true',
    },
  },
  {
    name: 'webhooks',
    path: '/webhook-outputs',
    fields: { project_id: 'text', url: 'text', kinds: 'list' },
    filters: ['owner_id'],
    columns: ['id', ['ACTIVE', 'is_active'], 'disabled_by', 'kinds', 'url'],
    actions: { enable: {}, disable: {}, test: {}, 'rotate-secret': { overlap_minutes: 'number' } },
    variable: '$WEBHOOK',
    example: {
      create: '--project-id $PROJECT --url $WEBHOOK_URL --kinds post.published',
      update: '--kinds post.published,publication.failed',
    },
  },
  {
    name: 'keys',
    path: '/keys',
    fields: { owner_id: 'text', name: 'text', scopes: 'list', endpoint_ids: 'list', expires_at: 'text' },
    filters: ['owner_id'],
    columns: ['id', ['MAIN', 'is_main'], 'scopes', 'expires_at', 'name'],
    actions: { rotate: { overlap_minutes: 'number' } },
    variable: '$KEY',
    example: {
      create: '--owner-id $OWNER --name Anna --scopes post,approve',
      update: '--name "Anna B." --set expires_at=null',
    },
  },
];

/** Adds `owners`, `channels`, `projects`, `endpoints`, `webhooks` and `keys`. */
export const addResources = (define: Define): void => {
  for (const resource of RESOURCES) addResource(define, resource);
};

const addResource = (define: Define, resource: Resource): void => {
  const { name, path, variable, columns, filters } = resource;
  const defineInGroup = define({
    usage: name,
    summary: SUMMARIES.resource({ name }),
    example: `crosspost ${name} list`,
  });
  const bodyOptions = {
    ...optionsOf(resource.fields),
    '--set <path=json...>': OPTIONS.set,
    '--file <path>': OPTIONS.file,
  };
  const ownUrl = 'url' in resource.fields;
  const mayCascade = name === 'channels' || name === 'projects';
  defineInGroup({
    usage: 'list',
    summary: SUMMARIES.list({ name }),
    example: `crosspost ${name} list --limit 20`,
    options: { ...fieldOptions(filters, 'text'), '--limit <n>': OPTIONS.limit },
    handler: ({ api, out, options }) => {
      const query = queryOf<Path>(filters as readonly never[], options);
      return out.list(api.list(path, { query }, limitOf(options)), columns);
    },
  });
  defineInGroup({
    usage: 'get <id>',
    summary: SUMMARIES.get({ name }),
    example: `crosspost ${name} get ${variable}`,
    handler: async ({ api, out, args: [id = ''] }) => out.answer(await api.get(`${path}/{id}`, { path: { id } })),
  });
  defineInGroup({
    usage: 'create',
    summary: SUMMARIES.create({ name }),
    example: `crosspost ${name} create ${resource.example.create}`,
    options: bodyOptions,
    ownUrl,
    handler: async ({ api, out, options }) =>
      out.answer(await api.post(path, { body: await bodyOf(options, resource.fields) })),
  });
  defineInGroup({
    usage: 'update <id>',
    summary: SUMMARIES.update({ name }),
    example: `crosspost ${name} update ${variable} ${resource.example.update}`,
    options: bodyOptions,
    ownUrl,
    handler: async ({ api, out, args: [id = ''], options }) => {
      const body = await bodyOf(options, resource.fields);
      out.answer(await api.patch(`${path}/{id}`, { path: { id }, body }));
    },
  });
  for (const [action, fields = {}] of Object.entries(resource.actions)) {
    const needed = action === 'post-packs' ? ' --posts 100' : '';
    defineInGroup({
      usage: `${action} <id>`,
      summary: SUMMARIES.action({ action, name }),
      example: `crosspost ${name} ${action} ${variable}${needed}`,
      options: optionsOf(fields),
      handler: async ({ api, out, args: [id = ''], options }) => {
        const body = Object.keys(fields).length > 0 ? unchecked(readFields(options, fields)) : undefined;
        out.answer(await api.post(`${path}/{id}/${action}` as ActionPath, { path: { id }, body }));
      },
    });
  }
  defineInGroup({
    usage: 'delete <id>',
    summary: SUMMARIES.delete({ name }),
    example: `crosspost ${name} delete ${variable}${mayCascade ? ' --cascade' : ''}`,
    options: mayCascade ? { '--cascade': OPTIONS.cascade } : {},
    handler: async ({ api, out, args: [id = ''], options }) => {
      const query = { cascade: options.cascade ? ('true' as const) : undefined };
      await api.delete(`${path}/{id}`, { path: { id }, query });
      if (!out.isJson) out.line(CLI_MESSAGES.deleted({ id }));
    },
  });
};

const optionsOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([field, type]) => fieldOption(field, type === 'list' ? 'a,b' : type!)),
  );

/** Returns the body: the file, overridden by the fields, overridden by `--set`. */
const bodyOf = async (options: Options, fields: Fields): Promise<never> => {
  const file = typeof options.file === 'string' ? await readBody(options.file) : {};
  const body: Record<string, unknown> = { ...file, ...readFields(options, fields) };
  for (const assignment of (options.set ?? []) as readonly string[]) setMember(body, assignment);
  if (Object.keys(body).length === 0) throw new WrongUsage(CLI_MESSAGES.noFields);
  return unchecked(body);
};

/** Lets a typed body pass the type check; the gateway validates it and reports errors. */
const unchecked = (body: Readonly<Record<string, unknown>>): never => body as never;

const readFields = (options: Options, fields: Fields): Record<string, unknown> => {
  const body: Record<string, unknown> = {};
  for (const [field, type] of Object.entries(fields)) {
    const text = options[camelCase(field)];
    if (typeof text === 'string' && type) body[field] = readField(field, text, type);
  }
  return body;
};

const readField = (field: string, text: string, type: FieldType): unknown => {
  if (type === 'text') return text;
  if (type === 'list') return text === '' ? [] : text.split(',').map((item) => item.trim());
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  throw new WrongUsage(CLI_MESSAGES.wrongValue({ field, type, text }));
};

/** Adds `pause` and `resume`. */
export const addPauses = (define: Define): void => {
  define({
    usage: 'pause <id>',
    summary: SUMMARIES.pause,
    example: 'crosspost pause $CHANNEL --minutes 30',
    options: { '--minutes <n>': OPTIONS.minutes },
    handler: async ({ api, out, args, options }) => {
      const id = args[0] ?? '';
      const resource = resourceOf(id);
      const minutes = wholeNumber('minutes', (options.minutes as string | undefined) ?? '');
      out.answer(await api.post(`${resource}/{id}/pause`, { path: { id }, body: { minutes } }));
    },
  });
  define({
    usage: 'resume <id>',
    summary: SUMMARIES.resume,
    example: 'crosspost resume $CHANNEL',
    handler: async ({ api, out, args }) => {
      const id = args[0] ?? '';
      out.answer(await api.post(`${resourceOf(id)}/{id}/resume`, { path: { id } }));
    },
  });
};

/** Returns the resource that an id belongs to. @throws WrongUsage */
const resourceOf = (id: string): '/channels' | '/projects' => {
  if (id.startsWith('tgt_')) return '/channels';
  if (id.startsWith('prj_')) return '/projects';
  throw new WrongUsage(CLI_MESSAGES.noPausable({ id }));
};
