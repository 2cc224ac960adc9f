import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** An answer parsed by hand: no HTTP client would send these requests. */
export interface RawResponse {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly body: string;
}

/** Connects to a gateway. Resolves when the connection is open; its end is not an error. */
export const openSocket = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

/** Writes bytes and reads until the server closes the connection; returns the answers in their order. */
export const sendRaw = async (url: string, bytes: Buffer | string): Promise<RawResponse[]> => {
  const socket = await openSocket(url);
  socket.write(bytes);
  return parseResponses(await text(socket));
};

/** Parses all answers in the data of a connection. Their bodies have a Content-Length. */
export const parseResponses = (raw: string): RawResponse[] => {
  const answers: RawResponse[] = [];
  for (let rest = raw; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, end);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    const requestId = /^x-request-id: *(\S+)/im.exec(head)?.[1];
    answers.push({ status: Number(head.split(' ')[1]), requestId, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
};
