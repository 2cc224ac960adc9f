import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** An answer taken apart by hand: no HTTP client would have sent these requests. */
export interface RawAnswer {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly body: string;
}

/** Connects to a gateway; the connection is open when this resolves, and its end is no error. */
export const openSocket = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

/** Writes these bytes and reads until the server hangs up; each answer in its turn. */
export const exchange = async (url: string, bytes: Buffer | string): Promise<RawAnswer[]> => {
  const socket = await openSocket(url);
  socket.write(bytes);
  return answersIn(await text(socket));
};

/** All the answers in what came over a connection: bodies have a Content-Length. */
export const answersIn = (raw: string): RawAnswer[] => {
  const answers: RawAnswer[] = [];
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
