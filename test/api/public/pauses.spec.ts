import { until } from '../../e2e/until.js';
import { type Answer, type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

const MINUTE = 60_000;

let gateway: TestGateway;
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.createOwner();
});
afterAll(() => gateway.stop());

/** Creates two projects of two channels each; `shared` belongs to both. */
const createTwoProjects = async () => {
  const [first, shared, second] = [
    await gateway.createChannel(owner),
    await gateway.createChannel(owner),
    await gateway.createChannel(owner),
  ];
  const projects = [
    await gateway.createProject(owner, [first, shared]),
    await gateway.createProject(owner, [shared, second]),
  ];
  return { first, shared, second, projects, endpoint: await gateway.createEndpoint(owner, projects) };
};
const createOneProject = async () => {
  const channel = await gateway.createChannel(owner);
  const project = await gateway.createProject(owner, [channel]);
  return { channel, project, endpoint: await gateway.createEndpoint(owner, [project]) };
};

const readChannelEnd = async ({ id }: TestChannel): Promise<string | null> =>
  (await gateway.manage('GET', `/channels/${id}`)).paused_until;
const readProjectEnd = async (id: string): Promise<string | null> =>
  (await gateway.manage('GET', `/projects/${id}`)).paused_until;
/** Sends posts during a pause, and waits until the schedule, from which answers count, shows that they wait. */
const queuePosts = async (endpoint: TestEndpoint, count: number, text = 'waits'): Promise<void> => {
  for (let i = 1; i <= count; i++) {
    const { status, body } = await endpoint.post('', { text: `${text} ${i}` });
    expect(status).toBe(200);
    await until('the post waits for the end of the pause', async () => {
      const { publications } = (await endpoint.readPost(body.id)).body;
      return publications.every(({ waiting_for }: Answer['body']) => waiting_for.until !== null);
    });
  }
};
const listCounts = ({ body }: Answer): number[] => [
  body.projects_affected,
  body.resources_affected,
  body.rescheduled_post_targets,
];

describe('temp-pause (publish-api.md: POST /v1/webhooks/{slug}/temp-pause)', () => {
  it('pauses every project of the endpoint for project_minutes, and no channel', async () => {
    const { projects, first, endpoint } = await createTwoProjects();
    const before = Date.now();
    const answer = await endpoint.post('temp-pause', { project_minutes: 10 });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ok: true,
      request_id: answer.headers.get('x-request-id'),
      projects_affected: 2,
      resources_affected: 3, // D-45: a pause of projects alone counts their channels
      rescheduled_post_targets: 0,
    });
    for (const project of projects) {
      const end = Date.parse((await readProjectEnd(project))!);
      expect(end).toBeGreaterThanOrEqual(before + 10 * MINUTE);
      expect(end).toBeLessThanOrEqual(Date.now() + 10 * MINUTE);
    }
    expect(await readChannelEnd(first)).toBeNull();
  });

  it('pauses every channel for target_minutes if none is named, and no project', async () => {
    const { projects, first, shared, second, endpoint } = await createTwoProjects();
    expect(listCounts(await endpoint.post('temp-pause', { target_minutes: 5, targets: [] }))).toEqual([0, 3, 0]);
    for (const channel of [first, shared, second]) expect(await readChannelEnd(channel)).not.toBeNull();
    expect(await readProjectEnd(projects[0]!)).toBeNull();
  });

  it('pauses the named channels, in every project that uses them', async () => {
    const { first, shared, second, projects, endpoint } = await createTwoProjects();
    const elsewhere = await gateway.createEndpoint(owner, [projects[1]!]);
    expect(listCounts(await endpoint.post('temp-pause', { target_minutes: 5, targets: [shared.id] }))).toEqual([
      0, 1, 0,
    ]);
    expect(await Promise.all([first, second].map(readChannelEnd))).toEqual([null, null]);
    const { targets } = (await elsewhere.info()).body.projects[0];
    expect(targets.map((target: { paused_until: string | null }) => target.paused_until !== null)).toEqual([
      true,
      false,
    ]);
  });

  it('pauses projects for one time and the named channels for another', async () => {
    const { first, projects, endpoint } = await createTwoProjects();
    const body = { project_minutes: 30, target_minutes: 10, targets: [first.id] };
    expect(listCounts(await endpoint.post('temp-pause', body))).toEqual([2, 1, 0]);
    expect(Date.parse((await readProjectEnd(projects[0]!))!) - Date.parse((await readChannelEnd(first))!)).toBe(
      20 * MINUTE,
    );
  });

  it('counts the projects’ channels if it pauses projects alone, whichever are named (D-45)', async () => {
    const { first, endpoint } = await createTwoProjects();
    const body = { project_minutes: 30, target_minutes: 0, targets: [first.id] };
    expect(listCounts(await endpoint.post('temp-pause', body))).toEqual([2, 3, 0]);
    expect(await readChannelEnd(first)).toBeNull();
  });

  it('never shortens a longer active pause: 5 minutes during a pause of 10 leave 10', async () => {
    const { channel, project, endpoint } = await createOneProject();
    await endpoint.post('temp-pause', { project_minutes: 10, target_minutes: 10 });
    const ends = [await readChannelEnd(channel), await readProjectEnd(project)];
    await queuePosts(endpoint, 2);
    expect(listCounts(await endpoint.post('temp-pause', { project_minutes: 5, target_minutes: 5 }))).toEqual([1, 1, 0]);
    expect([await readChannelEnd(channel), await readProjectEnd(project)]).toEqual(ends);
  });

  it('ignores ids that are not targets of the endpoint, as long as one is', async () => {
    const { channel, endpoint } = await createOneProject();
    const stranger = await gateway.createChannel(owner);
    const body = { target_minutes: 5, targets: ['tgt_none', stranger.id, channel.id] };
    expect(listCounts(await endpoint.post('temp-pause', body))).toEqual([0, 1, 0]);
    expect(await readChannelEnd(stranger)).toBeNull();
  });

  it.each([{ target_minutes: 5 }, { project_minutes: 5 }])(
    'answers 422 invalid_targets, and pauses nothing, if no id is a target of the endpoint: %j',
    async (minutes) => {
      const { project, channel, endpoint } = await createOneProject();
      const stranger = await gateway.createChannel(owner);
      const answer = await endpoint.post('temp-pause', { ...minutes, targets: [stranger.id, 'tgt_none'] });
      expect(answer).toMatchObject({ status: 422, body: { ok: false, code: 'invalid_targets' } });
      const ends = [await readProjectEnd(project), await readChannelEnd(channel), await readChannelEnd(stranger)];
      expect(ends).toEqual([null, null, null]);
    },
  );

  it('accepts an endpoint without a project, and pauses nothing', async () => {
    const endpoint = await gateway.createEndpoint(owner, []);
    expect(listCounts(await endpoint.post('temp-pause', { project_minutes: 5, target_minutes: 5 }))).toEqual([0, 0, 0]);
    const named = await endpoint.post('temp-pause', { target_minutes: 5, targets: ['tgt_none'] });
    expect(named).toMatchObject({ status: 422, body: { code: 'invalid_targets' } });
  });

  it.each([
    [{ project_minutes: 1440 }, 200],
    [{ project_minutes: 1441 }, 422],
    [{ target_minutes: 1 }, 200],
    [{ target_minutes: -1 }, 422],
    [{ project_minutes: 0, target_minutes: 1 }, 200],
    [{ project_minutes: 0, target_minutes: 0 }, 422],
    [{}, 422],
    [{ project_minutes: 1.5 }, 422],
    [{ project_minutes: '5' }, 422],
    [{ target_minutes: 5, targets: 'all' }, 422],
    [{ target_minutes: 5, targets: [{ id: 'tgt_1' }] }, 422],
    ['[]', 422],
    ['', 400],
    ['{"project_minutes": 5', 400],
  ])('answers %j with %i', async (body, status) => {
    const { endpoint } = await createOneProject();
    const answer = await endpoint.post('temp-pause', body);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.body).toMatchObject({ ok: false, errors: [expect.any(String)] });
  });

  it('requires the same credentials and media type as publishing', async () => {
    const { endpoint } = await createOneProject();
    expect((await endpoint.post('temp-pause', { project_minutes: 5 }, { authorization: 'Bearer no' })).status).toBe(
      401,
    );
    expect((await endpoint.post('temp-pause', { project_minutes: 5 }, { 'content-type': 'text/plain' })).status).toBe(
      415,
    );
  });
});

describe('rescheduled_post_targets (D-21): publications whose earliest time changed', () => {
  it('counts the publications that a channel pause delays, and that its end brings forward', async () => {
    const { channel, endpoint } = await createOneProject();
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 10 });
    await queuePosts(endpoint, 3);
    expect(listCounts(await endpoint.post('temp-pause', { target_minutes: 10 }))).toEqual([0, 1, 3]); // a little later
    expect(listCounts(await endpoint.post('temp-pause', { target_minutes: 9 }))).toEqual([0, 1, 0]);
    expect(listCounts(await endpoint.post('temp-pause', { target_minutes: 60 }))).toEqual([0, 1, 3]);
    expect(listCounts(await endpoint.post('temp-resume', { scope: 'project' }))).toEqual([0, 0, 0]);
    expect(listCounts(await endpoint.post('temp-resume', { scope: 'targets' }))).toEqual([0, 1, 3]);
  });

  it('counts the publications that a project pause holds when it is extended, and when it is lifted', async () => {
    const { endpoint } = await createTwoProjects();
    expect(listCounts(await endpoint.post('temp-pause', { project_minutes: 10 }))).toEqual([2, 3, 0]);
    await queuePosts(endpoint, 2); // on three channels each
    expect(listCounts(await endpoint.post('temp-pause', { project_minutes: 20 }))).toEqual([2, 3, 6]);
    expect(listCounts(await endpoint.post('temp-resume', { scope: 'targets' }))).toEqual([0, 0, 0]);
    expect(listCounts(await endpoint.post('temp-resume', { scope: 'project' }))).toEqual([2, 3, 6]);
  });

  it('does not count publications that another, longer pause holds anyway', async () => {
    const { channel, endpoint } = await createOneProject();
    await endpoint.post('temp-pause', { project_minutes: 10 });
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 60 });
    await queuePosts(endpoint, 2);
    expect(listCounts(await endpoint.post('temp-pause', { project_minutes: 30 }))).toEqual([1, 1, 0]);
    expect(listCounts(await endpoint.post('temp-resume', { scope: 'project' }))).toEqual([1, 1, 0]);
    expect(listCounts(await endpoint.post('temp-resume', {}))).toEqual([0, 1, 2]);
  });

  it('does not count posts that were accepted before the project was paused', async () => {
    const { channel, endpoint } = await createOneProject();
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 10 });
    await queuePosts(endpoint, 2, 'before');
    expect(listCounts(await endpoint.post('temp-pause', { project_minutes: 60 }))).toEqual([1, 1, 0]);
    await queuePosts(endpoint, 1, 'after');
    expect(listCounts(await endpoint.post('temp-pause', { project_minutes: 90 }))).toEqual([1, 1, 1]);
  });

  it('counts a publication once that both pauses delay', async () => {
    const { channel, endpoint } = await createOneProject();
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 5 });
    await endpoint.post('temp-pause', { project_minutes: 5 });
    await queuePosts(endpoint, 2);
    expect(listCounts(await endpoint.post('temp-pause', { project_minutes: 20, target_minutes: 20 }))).toEqual([
      1, 1, 2,
    ]);
  });
});

describe('temp-resume (publish-api.md: POST /v1/webhooks/{slug}/temp-resume)', () => {
  it.each([
    ['all', {}, [2, 3], [null, null, null, null]],
    ['all', { scope: 'all', targets: ['first'] }, [2, 3], [null, null, null, null]],
    ['projects', { scope: 'project' }, [2, 3], [null, 'paused', 'paused', 'paused']],
    ['channels', { scope: 'targets' }, [0, 3], ['paused', null, null, null]],
    [
      'named channels',
      { scope: 'targets', targets: ['first', 'tgt_none'] },
      [0, 1],
      ['paused', null, 'paused', 'paused'],
    ],
  ])('resumes %s with %j', async (_, body, affected, left) => {
    const { first, shared, second, projects, endpoint } = await createTwoProjects();
    await endpoint.post('temp-pause', { project_minutes: 10, target_minutes: 10 });
    const targets = (body as { targets?: string[] }).targets?.map((id) => (id === 'first' ? first.id : id));
    const answer = await endpoint.post('temp-resume', { ...body, ...(targets && { targets }) });
    expect(answer.body).toEqual({
      ok: true,
      request_id: answer.headers.get('x-request-id'),
      projects_affected: affected[0],
      resources_affected: affected[1],
      rescheduled_post_targets: 0,
    });
    const ends = [
      await readProjectEnd(projects[0]!),
      ...(await Promise.all([first, shared, second].map(readChannelEnd))),
    ];
    expect(ends.map((end) => end && 'paused')).toEqual(left);
  });

  it('resumes all if the body is empty', async () => {
    const { project, endpoint } = await createOneProject();
    await endpoint.post('temp-pause', { project_minutes: 10 });
    expect((await endpoint.post('temp-resume', '')).status).toBe(200);
    expect(await readProjectEnd(project)).toBeNull();
  });

  it('may be repeated, and may be sent if nothing is paused', async () => {
    const { endpoint } = await createOneProject();
    expect(listCounts(await endpoint.post('temp-resume', {}))).toEqual([0, 0, 0]);
    await endpoint.post('temp-pause', { project_minutes: 5, target_minutes: 5 });
    expect(listCounts(await endpoint.post('temp-resume', {}))).toEqual([1, 1, 0]);
    expect(listCounts(await endpoint.post('temp-resume', {}))).toEqual([0, 0, 0]);
  });

  it('counts the pauses that it ended, not what was not paused (D-53)', async () => {
    const { first, shared, projects, endpoint } = await createTwoProjects();
    await endpoint.post('temp-pause', { target_minutes: 5, targets: [first.id] });
    expect(listCounts(await endpoint.post('temp-resume', { scope: 'targets', targets: [shared.id] }))).toEqual([
      0, 0, 0,
    ]);
    expect(listCounts(await endpoint.post('temp-resume', {}))).toEqual([0, 1, 0]);
    await gateway.manage('POST', `/projects/${projects[0]}/pause`, { minutes: 5 });
    // D-45: a resume of projects alone counts the channels of those projects.
    expect(listCounts(await endpoint.post('temp-resume', {}))).toEqual([1, 2, 0]);
    await gateway.manage('POST', `/projects/${projects[0]}/pause`, { minutes: 5 });
    await endpoint.post('temp-pause', { target_minutes: 5, targets: [shared.id] });
    expect(listCounts(await endpoint.post('temp-resume', {}))).toEqual([1, 1, 0]);
  });

  it.each([
    [{ scope: 'targets', targets: ['tgt_none'] }, 'invalid_targets'],
    [{ scope: 'channels' }, 'invalid_payload'],
    [{ scope: 5 }, 'invalid_payload'],
    [{ scope: 'targets', targets: 'tgt_1' }, 'invalid_payload'],
  ])('answers %j with 422 %s', async (body, code) => {
    const { endpoint } = await createOneProject();
    expect(await endpoint.post('temp-resume', body)).toMatchObject({ status: 422, body: { ok: false, code } });
  });
});

describe('the origin of a pause', () => {
  it('is in the events: the endpoint as actor, and the request', async () => {
    const { channel, endpoint } = await createOneProject();
    const { body } = await endpoint.post('temp-pause', { target_minutes: 5 });
    const [event] = await gateway.readEvents(`channelPause-${channel.id}`);
    expect(event).toMatchObject({
      type: 'ChannelPaused',
      actor: `endpoint:${endpoint.id}`,
      requestId: body.request_id,
      data: { source: 'temp-pause', postId: null },
    });
  });

  it('is in the endpoint’s log, with the route and the decision (D-44)', async () => {
    const { endpoint } = await createOneProject();
    await endpoint.post('temp-pause', { target_minutes: 5 });
    await endpoint.post('temp-resume', '');
    await endpoint.post('temp-pause', { target_minutes: 5, targets: ['tgt_none'] });
    await endpoint.info();
    const log = await until('four entries', async () => {
      const { items } = await gateway.manage('GET', `/endpoints/${endpoint.id}/requests`);
      return items.length === 4 && items;
    });
    const pause = 'POST /v1/webhooks/{slug}/temp-pause';
    expect(log).toMatchObject([
      { route: 'GET /v1/webhooks/{slug}/info', decision: 'accepted', http_status: 200 },
      { route: pause, decision: 'rejected_validation', reason: 'invalid_targets', http_status: 422 },
      { route: 'POST /v1/webhooks/{slug}/temp-resume', decision: 'accepted', http_status: 200, payload_bytes: 0 },
      { route: pause, decision: 'accepted', http_status: 200, post_id: null },
    ]);
  });
});
