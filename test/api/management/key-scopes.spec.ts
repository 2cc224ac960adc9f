import { type ManagementRoute, mayCall } from '../../../clients/typescript/src/index.js';
import { hasScope, type Scope } from '../../../src/kernel/events.js';
import { until } from '../../e2e/until.js';
import {
  type Caller,
  createChannel,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  sendPost,
  startHarness,
  type TestOwner,
} from './management-harness.js';

/** A route of the management API, as its documentation describes it. */
interface Route {
  readonly method: string;
  readonly path: string;
  readonly scope: Scope | 'operator' | undefined;
  readonly isForLimited: boolean;
}

let harness: ManagementHarness;
let routes: readonly Route[];
let owner: TestOwner;
/** Two endpoints of one owner, each with a project, a channel and a post; the limited keys may use the first. */
let mine: Ids;
let others: Ids;

type Ids = Readonly<Record<'endpoints' | 'projects' | 'channels' | 'posts' | 'publications' | 'drafts', string>>;

const MARK = 'Hidden';
const LATER = new Date(Date.now() + 30 * 86_400_000).toISOString();

const createWorld = async (name: string): Promise<Ids> => {
  const channels = (await createChannel(owner, name)).id;
  const projects = await createProject(owner, [channels], name);
  const endpoint = await createEndpoint(owner, [projects], { name });
  const posts = await sendPost(harness, endpoint, { text: name, publish_at: LATER });
  const { body } = await owner.caller.get(`/posts/${posts}`).expect(200);
  const draft = { endpoint_id: endpoint.id, title: name, content: { text: name } };
  const drafts = (await owner.caller.post('/drafts', draft).expect(201)).body.id;
  return { endpoints: endpoint.id, projects, channels, posts, publications: body.publications[0].id, drafts };
};

beforeAll(async () => {
  harness = await startHarness();
  owner = await createOwner(harness);
  [mine, others] = [await createWorld('Shown'), await createWorld(MARK)];
  const document = (await (await fetch(`${harness.url}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  };
  routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      scope: operation['x-scope'] as Route['scope'],
      isForLimited: operation['x-limited-keys'] === true,
    })),
  );
  routes = routes.filter(({ path }) => path.startsWith('/manage/v1/') && path !== '/manage/v1/sign-in');
});
afterAll(() => harness.stop());

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly code: string | null;
}

/** Calls a route without a body. The stream is left once it answers. */
const call = async (
  { method, path }: Pick<Route, 'method' | 'path'>,
  key: string,
  body: object = {},
): Promise<Answer> => {
  const left = new AbortController();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = method === 'GET' ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${harness.url}${path}`, { method, headers, signal: left.signal, ...sent });
  const isStream = answer.headers.get('content-type') === 'text/event-stream';
  const text = isStream ? '' : await answer.text();
  left.abort();
  const code = answer.status < 400 ? null : (JSON.parse(text) as { code: string }).code;
  return { status: answer.status, text, code };
};

const withIds = (path: string, idOf: (kind: string) => string): string =>
  path.replace(/\/([\w-]+)\/\{(\w+)\}/, (_, kind: string) => `/${kind}/${idOf(kind)}`).replaceAll(/\{\w+\}/g, 'none');

const nameInClient = ({ method, path }: Route): ManagementRoute =>
  `${method} ${path.slice('/manage/v1'.length)}` as ManagementRoute;

const issue = async (fields: object, by: Caller = owner.caller): Promise<string> =>
  (await by.post('/keys', { name: 'Anna', ...fields }).expect(201)).body.key;

const REFUSALS = ['missing_scope', 'key_limited', 'unauthorized', 'key_expired'];

/** What a key gets for a route, apart from what it says about the request. */
const expectedOf = (route: Route, scopes: readonly Scope[], isLimited: boolean): string | null => {
  if (route.scope === 'operator') return 'operator';
  if (!hasScope(scopes, route.scope as Scope)) return 'missing_scope';
  return isLimited && !route.isForLimited ? 'key_limited' : null;
};

const seen = ({ status, code }: Answer): string | null => {
  if (code === 'forbidden' || (status === 404 && code === 'not_found')) return code;
  return code !== null && REFUSALS.includes(code) ? code : null;
};

describe('every route', () => {
  it('declares the scope that it needs', () => {
    expect(routes.length).toBeGreaterThan(100);
    expect(routes.filter(({ scope }) => scope === undefined)).toEqual([]);
    // What reads needs `read`; what changes something never does, except for questions and for its own sign-ins.
    const reading = routes.filter(({ scope, method }) => scope === 'read' && method !== 'GET');
    const own = ['/manage/v1/sessions', '/manage/v1/sessions/{id}'];
    const questions = ['/manage/v1/posts/{id}/statistics', '/manage/v1/projects/{id}/preview'];
    expect(reading.map(({ path }) => path).toSorted()).toEqual([...questions, ...own]);
  });

  it.each<[string, readonly Scope[], boolean]>([
    ['read', ['read'], false],
    ['post', ['post'], false],
    ['approve', ['approve'], false],
    ['post and approve', ['post', 'approve'], false],
    ['manage', ['manage'], false],
    ['read, limited', ['read'], true],
    ['post, limited', ['post'], true],
    ['approve, limited', ['approve'], true],
  ])('refuses what a key may not do, whether or not the thing exists: %s', async (_, scopes, isLimited) => {
    const key = await issue({ scopes, ...(isLimited && { endpoint_ids: [mine.endpoints] }) });
    const wrong: object[] = [];
    for (const route of routes) {
      const path = withIds(route.path, () => 'none');
      const answer = await call({ method: route.method, path }, key);
      const expected = expectedOf(route, scopes, isLimited);
      const got = seen(answer);
      const isRight =
        expected === 'operator'
          ? got === 'forbidden' || got === 'not_found'
          : (got === 'not_found' ? null : got) === expected;
      if (!isRight) wrong.push({ ...route, expected, status: answer.status, code: answer.code });
      // The client says the same without asking (ADR-405).
      const rights = { scopes, endpoint_ids: isLimited ? [mine.endpoints] : null };
      const known = mayCall(rights, nameInClient(route));
      if (expected !== 'operator' && known !== (expected === null)) wrong.push({ ...route, expected, known });
      if (expected === 'missing_scope') expect(JSON.parse(answer.text)).toMatchObject({ needed: route.scope });
    }
    expect(wrong).toEqual([]);
  });

  it('lets auditors read, and nothing more', async () => {
    const key = await issue({ scopes: ['audit'], owner_id: null }, operatorCaller(harness));
    const wrong: object[] = [];
    for (const route of routes) {
      const path = withIds(route.path, () => 'none');
      const { status, code } = await call({ method: route.method, path }, key);
      const isRefused = code === 'forbidden';
      const mayBe = route.method === 'GET' || /\/(history\/verify|sessions(\/none)?)$/.test(path);
      if (isRefused === mayBe) wrong.push({ ...route, status, code });
      // The client says the same without asking (ADR-405).
      const known = mayCall({ scopes: ['audit'], endpoint_ids: null }, nameInClient(route));
      if (known === isRefused) wrong.push({ ...route, status, code, known });
    }
    expect(wrong).toEqual([]);
  });
});

describe('a key that is limited to an endpoint', () => {
  it('sees nothing of the others, by any route', async () => {
    const key = await issue({ scopes: ['post', 'approve'], endpoint_ids: [mine.endpoints] });
    const hidden = [MARK, ...Object.values(others)];
    const wrong: object[] = [];
    for (const route of routes.filter(({ isForLimited }) => isForLimited)) {
      for (const ids of [mine, others]) {
        const path = withIds(route.path, (kind) => ids[kind as keyof Ids] ?? 'none');
        // Changes are made to the other endpoint's things only, and refused.
        if (ids === mine && route.method !== 'GET') continue;
        const { status, text } = await call({ method: route.method, path }, key, { targets: [others.channels] });
        const isHidden = !hidden.some((each) => text.includes(each));
        const isAbout = path !== route.path;
        if (!isHidden || (isAbout && ids === others && status !== 404)) wrong.push({ ...route, path, status, text });
      }
    }
    expect(wrong).toEqual([]);
  });

  it('gets no error text about the others from what it may do', async () => {
    const key = await issue({ scopes: ['post'], endpoint_ids: [mine.endpoints] });
    const post = { method: 'POST', path: `/manage/v1/endpoints/${mine.endpoints}/posts` };
    const { status, text } = await call(post, key, { text: 'Mine', targets: [others.channels] });
    expect(status).toBe(422);
    expect(text).not.toContain(MARK);
    for (const filter of [`endpoint_id=${others.endpoints}`, `channel_id=${others.channels}`])
      expect(JSON.parse((await call({ method: 'GET', path: `/manage/v1/posts?${filter}` }, key)).text).items).toEqual(
        [],
      );
    const shown = JSON.parse((await call({ method: 'GET', path: '/manage/v1/posts' }, key)).text);
    expect(shown.items.map(({ id }: { id: string }) => id)).toEqual([mine.posts]);
  });
});

describe('a key that may not approve', () => {
  it('makes a post wait for approval again, and one that may approve does not (D-64)', async () => {
    const [poster, approver] = [await issue({ scopes: ['post'] }), await issue({ scopes: ['post', 'approve'] })];
    const endpoint = await createEndpoint(owner, [mine.projects], { requires_approval: true });
    const id = await sendPost(harness, endpoint, { text: 'First', publish_at: LATER });
    const change = async (key: string, text: string) => {
      const put = { method: 'PUT', path: `/manage/v1/posts/${id}/payload` };
      expect((await call(put, key, { text, publish_at: LATER })).status).toBe(200);
      return (await owner.caller.get(`/posts/${id}`).expect(200)).body;
    };
    const approve = async (key: string, revision: number) =>
      call({ method: 'POST', path: `/manage/v1/posts/${id}/approve` }, key, { revision });
    expect((await approve(poster, 1)).code).toBe('missing_scope');
    expect((await approve(approver, 1)).status).toBe(200);
    const { approval } = (await owner.caller.get(`/posts/${id}`).expect(200)).body;
    expect(approval).toMatchObject({ state: 'approved', by: expect.stringMatching(/^key:key_/) });
    expect((await change(approver, 'Second')).approval.state).toBe('approved');
    expect((await change(poster, 'Third')).approval.state).toBe('pending');
  });

  it('does not edit what is published through an endpoint that requires approval (D-74)', async () => {
    const [poster, approver] = [await issue({ scopes: ['post'] }), await issue({ scopes: ['post', 'approve'] })];
    const endpoint = await createEndpoint(owner, [mine.projects]);
    const id = await sendPost(harness, endpoint, { text: 'First' });
    await until('it is published', async () => {
      const { body } = await owner.caller.get(`/posts/${id}`).expect(200);
      return body.publications[0].state === 'published';
    });
    const edit = (key: string, text: string) =>
      call({ method: 'PUT', path: `/manage/v1/posts/${id}/content` }, key, { text });
    expect((await edit(poster, 'Second')).status).toBe(200);
    await owner.caller.patch(`/endpoints/${endpoint.id}`, { requires_approval: true }).expect(200);
    const refused = await edit(poster, 'Third');
    expect([refused.status, refused.code]).toEqual([409, 'approval_required']);
    expect((await edit(approver, 'Third')).status).toBe(200);
    const { body } = await owner.caller.get(`/posts/${id}`).expect(200);
    expect(body.payload.text).toBe('Third');
  });
});
