import fc from 'fast-check';
import { joinMessages, MessageSplitter } from './grpc-call.js';

/** Cuts bytes at the given places. */
const cutAt = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end));
};

describe('the messages of a gRPC call', () => {
  it('arrive as they were sent, wherever the connection cuts them', () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });
    fc.assert(
      fc.property(messages, fc.array(fc.nat(), { maxLength: 10 }), (sent, places) => {
        const splitter = new MessageSplitter();
        const received = cutAt(joinMessages(sent), places).flatMap((chunk) => splitter.split(chunk));
        expect(received.map((message) => [...message])).toEqual(sent.map((message) => [...message]));
      }),
    );
  });

  it('are refused if they are compressed, or longer than memory should hold', () => {
    const split = (bytes: readonly number[]) => () => new MessageSplitter().split(Buffer.from(bytes));
    expect(split([1, 0, 0, 0, 1, 7])).toThrow('compressed');
    expect(split([0, 0x7f, 0xff, 0xff, 0xff])).toThrow('the server sent a message of 2147483647 bytes');
  });
});
