import {
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
} from '../api/management/management-harness.js';
import { verifyProof } from './offline-verifier.js';
import { exportHistory, fill, type Setting, SETTINGS } from './transfer-harness.js';

interface Line {
  readonly id?: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly index: number;
  readonly hash: string;
}

describe('proofs of what an export shows', () => {
  let harness: ManagementHarness;
  let setting: Setting;
  let lines: readonly Line[];
  let vkey: string;
  beforeAll(async () => {
    harness = await startHarness(SETTINGS);
    setting = await fill(harness);
    lines = (await exportHistory(harness)).map((line) => JSON.parse(line) as Line);
    ({ vkey } = (await operatorCaller(harness).get('/history/log/key').expect(200)).body as { vkey: string });
  }, 300_000);
  afterAll(() => harness.stop());

  it('verify for every line, whatever its type', async () => {
    expect(new Set(lines.map(({ type }) => type))).toContain('RequestsLogged');
    for (const { id, stream, revision, index, hash } of lines) {
      const { text } = await operatorCaller(harness).get(`/history/log/proof/${id}`).expect(200);
      expect(verifyProof(text, Buffer.from(`${stream}\n${revision}\n${hash}\n`), vkey).index).toBe(index);
    }
  });

  it('of the request log are for the owner of the endpoint, and no other', async () => {
    const { id } = lines.find(({ type }) => type === 'RequestsLogged')!;
    const other = await createOwner(harness);
    await setting.owner.caller.get(`/history/log/proof/${id}`).expect(200);
    await other.caller.get(`/history/log/proof/${id}`).expect(404);
  });
});
