/** Code that sends a post, by its language. The token comes from the environment, so that the code can be shown to others. */
export interface CodeSamples {
  readonly curl: string;
  readonly TypeScript: string;
  readonly Python: string;
}

/** Returns code that sends a text to an endpoint. */
export const sampleCode = (url: string, text: string): CodeSamples => {
  const body = JSON.stringify({ text });
  return {
    curl: `curl ${url} \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`,
    TypeScript: `const answer = await fetch('${url}', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.TOKEN}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${body}),
});
console.log(await answer.json());`,
    Python: `import os, requests

answer = requests.post(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
    json=${body},
)
print(answer.json())`,
  };
};
