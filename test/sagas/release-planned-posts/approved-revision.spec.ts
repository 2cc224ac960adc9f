import { iso } from '../../../src/kernel/clock.js';
import { type Answer, type TestChannel, type TestEndpoint, TestGateway } from '../../api/public/gateway.js';

let gateway: TestGateway;
let channel: TestChannel;
let endpoint: TestEndpoint;

beforeAll(async () => {
  gateway = await TestGateway.start();
  const ownerId = await gateway.createOwner();
  channel = await gateway.createChannel(ownerId);
  const projectId = await gateway.createProject(ownerId, [channel]);
  endpoint = await gateway.createEndpoint(ownerId, [projectId], { requires_approval: true });
});
afterAll(() => gateway.stop());

const send = async (text: string): Promise<string> => (await endpoint.post('', { text })).body.id;
/** Replaces a post's text, as the client of its endpoint. */
const replace = (id: string, text: string): Promise<Answer> =>
  gateway.call('PUT', `/v1/webhooks/${endpoint.slug}/posts/${id}`, {
    headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });
const approve = (id: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.callManagement('POST', `/posts/${id}/approve`, body, headers);
const codeOf = ({ status, body }: Answer) => [status, body.code];
const typesOf = async (id: string): Promise<string[]> =>
  (await gateway.manage('GET', `/history/post/${id}`)).events.map(({ type }: { type: string }) => type);
const stateOf = async (id: string): Promise<string> => (await gateway.manage('GET', `/posts/${id}`)).approval.state;

describe('an approval is for what was read (D-81)', () => {
  it('refuses a revision that is no longer current, and publishes nothing', async () => {
    const id = await send('read by the approver');
    const read = await gateway.callManagement('GET', `/posts/${id}`);
    expect(read.headers.get('etag')).toBe('"1"');
    expect((await replace(id, 'never read')).status).toBe(200);
    const refused = await approve(id, {}, { 'if-match': '"1"' });
    expect([codeOf(refused), refused.body.revision]).toEqual([[412, 'revision_mismatch'], 2]);
    expect(codeOf(await approve(id, { revision: 1 }))).toEqual([412, 'revision_mismatch']);
    expect([await stateOf(id), await typesOf(id)]).toEqual([
      'pending',
      ['PostAccepted', 'PostApprovalRequested', 'PostRevised'],
    ]);
    expect((await approve(id, {}, { 'if-match': '"2"' })).body.approval.state).toBe('approved');
    await gateway.waitForText(channel.chatId, 'never read');
    const { state, events } = await gateway.manage('GET', `/history/post/${id}`);
    expect(state.approval).toMatchObject({ state: 'approved', revision: 2 });
    const { data } = events.find(({ type }: { type: string }) => type === 'PostApproved');
    expect(data.revision).toBe(2);
    const { items } = await gateway.manage('GET', `/history/events?aggregate=post&id=${id}&type=PostApproved`);
    expect(items).toMatchObject([{ data: { revision: 2 } }]);
  });

  it('requires a revision', async () => {
    const id = await send('kept');
    const attempts = [approve(id, {}), approve(id, { note: 'x' }), approve(id, {}, { 'if-match': '*' })];
    for (const refused of await Promise.all(attempts)) {
      expect(codeOf(refused)).toEqual([428, 'revision_required']);
      expect(refused.body.details[0].message).toContain('If-Match');
    }
    expect(await stateOf(id)).toBe('pending');
    expect((await approve(id, { revision: 1 })).status).toBe(200);
  });

  it.each([
    [{ revision: 2 }, '"1"', 422, 'invalid'],
    [{ revision: 0 }, null, 422, 'invalid'],
    [{ revision: '1' }, null, 422, 'invalid'],
    [{ revision: 1.5 }, null, 422, 'invalid'],
    [{}, '"1", "2"', 428, 'revision_required'],
    [{}, 'W/"1"', 412, 'revision_mismatch'],
    [{}, '1', 412, 'revision_mismatch'],
  ])('refuses %j with If-Match %s', async (body, ifMatch, status, code) => {
    const id = await send('kept');
    expect(codeOf(await approve(id, body, ifMatch === null ? {} : { 'if-match': ifMatch }))).toEqual([status, code]);
    expect(await stateOf(id)).toBe('pending');
  });

  it('accepts both if they agree', async () => {
    const id = await send('agreed');
    expect((await approve(id, { revision: 1 }, { 'if-match': '"1"' })).status).toBe(200);
  });

  it('asks for no revision to reject a post', async () => {
    const id = await send('rejected');
    await replace(id, 'rejected too');
    expect((await gateway.callManagement('POST', `/posts/${id}/reject`, { reason: 'no' })).status).toBe(200);
  });

  it('publishes what was approved or nothing, when a client replaces the text at the same moment', async () => {
    for (let n = 0; n < 8; n++) {
      const id = await send(`read ${n}`);
      const [approved, replaced] = await Promise.all([approve(id, { revision: 1 }), replace(id, `unread ${n}`)]);
      if (approved.status === 200) expect(codeOf(replaced)).toEqual([409, 'already_released']);
      else
        expect([codeOf(approved), replaced.status, await stateOf(id)]).toEqual([
          [412, 'revision_mismatch'],
          200,
          'pending',
        ]);
    }
    expect((await gateway.readWall(channel.chatId)).filter((text: string) => text.startsWith('unread'))).toEqual([]);
  });

  it('refuses again when a refused approval is repeated with its Idempotency-Key', async () => {
    const id = await send('keyed');
    await replace(id, 'keyed, replaced');
    const key = { 'idempotency-key': `approve-${id}` };
    for (const _ of [1, 2])
      expect(codeOf(await approve(id, {}, { ...key, 'if-match': '"1"' }))).toEqual([412, 'revision_mismatch']);
    expect(await stateOf(id)).toBe('pending');
    expect((await approve(id, {}, { ...key, 'if-match': '"2"' })).body.approval.state).toBe('approved');
    const repeated = await approve(id, {}, { ...key, 'if-match': '"2"' });
    expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(codeOf(await approve(id, {}, { ...key, 'if-match': '"3"' }))).toEqual([409, 'idempotency_conflict']);
  });

  it('does not approve a new text with the repeat of an earlier approval', async () => {
    const publish_at = iso(Date.now() + 3_600_000);
    const { id } = (await endpoint.post('', { text: 'planned', publish_at })).body;
    const decide = () => approve(id, { revision: 1 }, { 'idempotency-key': `again-${id}` });
    expect((await decide()).body.approval.state).toBe('approved');
    await replace(id, 'changed since');
    expect((await decide()).headers.get('idempotency-replayed')).toBe('true');
    expect(await stateOf(id)).toBe('pending');
  });
});
