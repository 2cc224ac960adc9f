/** Returns a first post to an endpoint as curl, TypeScript and Python. The token is `$TOKEN`. @param text of the post */
export const sampleCode = (url: string, text: string) => ({
  curl: `curl ${url} \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -d '${JSON.stringify({ text }).replaceAll("'", String.raw`'\''`)}'`,
  TypeScript: `const answer = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.TOKEN}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify(${JSON.stringify({ text })}),
});
console.log(answer.status, await answer.json());`,
  Python: `import json, os, urllib.request, uuid

request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=json.dumps(${JSON.stringify({ text })}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
with urllib.request.urlopen(request) as answer:
    print(answer.status, json.load(answer))`,
});
