import { headersOf, type ToolResult } from './assistant-clients.js';

/** The slug and token with which an assistant reaches its endpoint. */
interface Credentials {
  readonly slug: string;
  readonly token: string;
}

/** Creates functions that call tools with fetch alone, one request per call. */
export const createToolCalls = (addressOf: (slug: string) => string) => {
  /** Sends a message as a 2025 client without a session does. */
  const send = async ({ slug, token }: Credentials, body: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(addressOf(slug), {
      method: 'POST',
      headers: {
        ...headersOf(token),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    });
    const text = await answer.text();

    return { status: answer.status, body: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) };
  };

  const rpc = (endpoint: Credentials, method: string, params: object = {}, headers: Record<string, string> = {}) =>
    send(endpoint, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers);

  const callOnce = async (
    endpoint: Credentials,
    name: string,
    args: object,
    headers: Record<string, string> = {},
  ): Promise<ToolResult> =>
    (await rpc(endpoint, 'tools/call', { name, arguments: args }, headers)).body.result as ToolResult;

  return { send, rpc, callOnce };
};
