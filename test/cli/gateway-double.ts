import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Program } from '../support/gateway-process.js';

/** A request as it arrived. */
export interface Received {
  /** Method and address, such as `GET /manage/v1/owners?limit=50`. */
  readonly route: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer of the server, or what it does instead of answering. */
export type Answer =
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void);

/** Creates an answer with JSON. */
export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
});

/** Begins an answer and loses the connection. */
export const breakOff =
  (begin: string, type = 'application/json'): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': '1000' });
    response.write(begin, () => response.destroy());
  };

/** Result of a command. */
export interface Result {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  readonly received: readonly Received[];
}

/** Runs a command line as a process. @param url the address that it calls unless its arguments contain `--url` */
export const runCommand = async (
  url: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Omit<Result, 'received'>> => {
  const settings = { CROSSPOST_URL: url, CROSSPOST_KEY: 'key', ...env };
  const program = Program.spawn('crosspost', ['cli/main.js', ...args], settings);
  const { code } = await program.exited;
  await program.closed;
  return { code, output: program.output, errors: program.log };
};

/**
 * Runs a command line against a server that gives these answers in turn. `{url}` in an argument is the server's
 * address.
 */
export const runWith = async (answers: readonly Answer[], ...args: readonly string[]): Promise<Result> => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const answer = answers[received.length];
      received.push({ route: `${request.method} ${request.url}`, headers: request.headers, body });
      if (answer === undefined) response.writeHead(500).end();
      else if (typeof answer === 'function') answer(response);
      else response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const result = await runCommand(
      url,
      args.map((arg) => arg.replace('{url}', url)),
    );
    return { ...result, received };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
};
