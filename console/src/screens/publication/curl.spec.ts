import { requestAsCurl } from './curl.js';

describe('the request of a post as curl', () => {
  it('has the address, the key and the payload, and the token as a variable', () => {
    expect(requestAsCurl('http://gateway/v1/webhooks/x', { text: 'Hello' }, 'key-1')).toBe(
      [
        "curl 'http://gateway/v1/webhooks/x' \\",
        '  -H "Authorization: Bearer $TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        "  -H 'Idempotency-Key: key-1' \\",
        `  --data-binary '{"text":"Hello"}'`,
      ].join('\n'),
    );
  });

  it('leaves nothing for the shell to expand', () => {
    const command = requestAsCurl(null, { text: "'; rm -rf / #$(date)`" }, null);
    expect(command).toContain(String.raw`--data-binary '{"text":"'\''; rm -rf / #$(date)` + '`' + `"}'`);
    expect(command).toContain('curl "$URL"');
    expect(command).not.toContain('Idempotency-Key');
  });
});
