import { execFileSync } from 'node:child_process';
import { publishCode } from '../../console/src/publish-code/publish-code.js';

const endpoint = { url: 'http://gateway/v1/webhooks/x', require_signature: false, require_timestamp: false };
const HOSTILE = `a'b"c $(echo expanded) \`echo expanded\` $HOME \\ #`;

/** Runs a command with a `curl` that prints its arguments, one per line. */
const run = (command: string): readonly string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\n' "$@"; }\n${command}`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: 'expanded', TOKEN: 'the token', SIGNING_SECRET: 'secret' },
  })
    .trimEnd()
    .split('\n');

describe('the code that publishes a post with curl', () => {
  it('sends the payload with the token of the environment', () => {
    expect(run(publishCode(endpoint, { text: 'Hello' }, 'none', 'service').curl)).toEqual([
      ...['http://gateway/v1/webhooks/x', '-H', 'Authorization: Bearer the token'],
      ...['-H', 'Content-Type: application/json', '--data-binary', '{"text":"Hello"}'],
    ]);
  });

  it('leaves nothing of a key or a text for the shell to expand', () => {
    const sent = run(publishCode(endpoint, { text: HOSTILE }, { key: HOSTILE }, 'service').curl);
    expect(sent).toContain(`Idempotency-Key: ${HOSTILE}`);
    expect(JSON.parse(sent.at(-1) ?? '')).toEqual({ text: HOSTILE });
    const signed = { ...endpoint, require_signature: true, require_timestamp: true };
    const sentSigned = run(publishCode(signed, { text: HOSTILE }, { key: HOSTILE }, 'service').curl);
    expect(sentSigned).toContain(`Idempotency-Key: ${HOSTILE}`);
    expect(JSON.parse(sentSigned.at(-1) ?? '')).toEqual({ text: HOSTILE });
  });

  it('makes a new key for each run if it is to be random', () => {
    const { curl } = publishCode(endpoint, {}, 'random', 'service');
    const keyOf = (): string => run(curl).find((line) => line.startsWith('Idempotency-Key: ')) ?? '';
    expect(keyOf()).toMatch(/^Idempotency-Key: [0-9a-f]{32}$/);
    expect(keyOf()).not.toBe(keyOf());
  });
});
