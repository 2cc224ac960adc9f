/** Code that publishes a post from a program, by language. */
export interface PublishCode {
  readonly curl: string;
  readonly TypeScript: string;
  readonly Python: string;
}

/** The endpoint fields that a request depends on. */
export interface CalledEndpoint {
  readonly url: string;
  readonly require_signature: boolean;
  readonly require_timestamp: boolean;
}

/**
 * Returns code that publishes a payload through `/v1`. The code reads the token and the signing secret from the
 * environment: `TOKEN`, `SIGNING_SECRET`.
 * @param key the idempotency key; `random` for a new one on each run; `none` for the sandbox, which needs none
 * @param brand the brand in the header names: `service`
 */
export const publishCode = (
  { url, require_signature: isSigned, require_timestamp: isTimed }: CalledEndpoint,
  payload: object,
  key: { readonly key: string } | 'random' | 'none',
  brand: string,
): PublishCode => {
  const prefix = `X-${brand.charAt(0).toUpperCase()}${brand.slice(1)}`;
  const names = { timestamp: `${prefix}-Timestamp`, signature: `${prefix}-Client-Signature` };
  const given = { url, key, isSigned, isTimed, names };
  return {
    curl: curlCode(given, payload),
    TypeScript: typeScriptCode(given, payload),
    Python: pythonCode(given, payload),
  };
};

interface Given {
  readonly url: string;
  readonly key: { readonly key: string } | 'random' | 'none';
  readonly isSigned: boolean;
  readonly isTimed: boolean;
  readonly names: { readonly timestamp: string; readonly signature: string };
}

/** Joins lines, skipping `false`. */
const lines = (...given: readonly (string | false)[]): string => given.filter((line) => line !== false).join('\n');

/**
 * Quotes a string for a POSIX shell. Keys and text come from other people, so the shell must not expand anything in
 * them.
 */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const curlCode = ({ url, key, isSigned, isTimed, names }: Given, payload: object): string => {
  const body = quote(JSON.stringify(payload));
  return lines(
    isSigned && `BODY=${body}`,
    isSigned && `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" -r | cut -d' ' -f1)`,
    `curl ${quote(url)} \\`,
    '  -H "Authorization: Bearer $TOKEN" \\',
    "  -H 'Content-Type: application/json' \\",
    key === 'random' && '  -H "Idempotency-Key: $(openssl rand -hex 16)" \\',
    typeof key === 'object' && `  -H ${quote(`Idempotency-Key: ${key.key}`)} \\`,
    isTimed && `  -H "${names.timestamp}: $(date +%s)" \\`,
    isSigned && `  -H "${names.signature}: sha256=$SIGNATURE" \\`,
    isSigned ? '  --data-binary "$BODY"' : `  --data-binary ${body}`,
  );
};

const typeScriptCode = ({ url, key, isSigned, isTimed, names }: Given, payload: object): string =>
  lines(
    isSigned && "import { createHmac } from 'node:crypto';\n",
    `const body = JSON.stringify(${JSON.stringify(payload, null, 2)});`,
    isSigned && "const signature = createHmac('sha256', process.env.SIGNING_SECRET ?? '').update(body).digest('hex');",
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    "  method: 'POST',",
    '  headers: {',
    '    Authorization: `Bearer ${process.env.TOKEN}`,',
    "    'Content-Type': 'application/json',",
    key !== 'none' && `    'Idempotency-Key': ${key === 'random' ? 'crypto.randomUUID()' : JSON.stringify(key.key)},`,
    isTimed && `    '${names.timestamp}': String(Math.floor(Date.now() / 1000)),`,
    isSigned && `    '${names.signature}': \`sha256=\${signature}\`,`,
    '  },',
    '  body,',
    '});',
    'console.log(answer.status, await answer.json());',
  );

const pythonCode = ({ url, key, isSigned, isTimed, names }: Given, payload: object): string =>
  lines(
    `import ${isSigned ? 'hashlib, hmac, ' : ''}json, os, ${isTimed ? 'time, ' : ''}urllib.request${key === 'random' ? ', uuid' : ''}\n`,
    `body = json.dumps(${toPython(payload)}).encode()`,
    isSigned && 'secret = os.environ["SIGNING_SECRET"].encode()',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(url)},`,
    '    data=body,',
    '    headers={',
    '        "Authorization": f"Bearer {os.environ[\'TOKEN\']}",',
    '        "Content-Type": "application/json",',
    key !== 'none' && `        "Idempotency-Key": ${key === 'random' ? 'str(uuid.uuid4())' : JSON.stringify(key.key)},`,
    isTimed && `        "${names.timestamp}": str(int(time.time())),`,
    isSigned && `        "${names.signature}": "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest(),`,
    '    },',
    ')',
    'with urllib.request.urlopen(request) as answer:',
    '    print(answer.status, json.load(answer))',
  );

/** Formats a value as Python code: like JSON, except for True, False and None. */
const toPython = (value: unknown, indent = ''): string => {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const [open, close, items] = Array.isArray(value)
    ? ['[', ']', value.map((item) => toPython(item, inner))]
    : ['{', '}', Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${toPython(member, inner)}`)];
  return items.length === 0
    ? open + close
    : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
};
