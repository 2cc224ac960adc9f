/** Size of the header of each message: a flag (1 if the message is compressed), followed by the length. */
const PREFIX_BYTES = 5;

/** Maximum size of a received message; the client has the same limit. */
const MAX_MESSAGE_BYTES = 17 * 1_048_576;

/** Joins messages in gRPC's wire format, so that one write sends all of them. */
export const joinMessages = (messages: readonly Uint8Array[]): Buffer => {
  let size = 0;
  for (const { length } of messages) size += PREFIX_BYTES + length;
  const joined = Buffer.allocUnsafe(size);
  let at = 0;
  for (const message of messages) {
    joined[at] = 0;
    joined.writeUInt32BE(message.length, at + 1);
    joined.set(message, at + PREFIX_BYTES);
    at += PREFIX_BYTES + message.length;
  }
  return joined;
};

/** Splits received bytes into gRPC messages. */
export class MessageSplitter {
  private rest: Buffer | null = null;

  /** Returns the messages completed by the next bytes. @throws Error for a message that is compressed or too long */
  split(chunk: Buffer): Buffer[] {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    const messages: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= PREFIX_BYTES) {
      if (bytes[at] !== 0) throw new Error('the server compressed a message without being asked to');
      const length = bytes.readUInt32BE(at + 1);
      if (length > MAX_MESSAGE_BYTES) throw new Error(`the server sent a message of ${length} bytes`);
      const end = at + PREFIX_BYTES + length;
      if (end > bytes.length) break;
      messages.push(bytes.subarray(at + PREFIX_BYTES, end));
      at = end;
    }
    this.rest = at < bytes.length ? bytes.subarray(at) : null;
    return messages;
  }
}
