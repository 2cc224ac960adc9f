/** A block of a stream of server-sent events: an event, or a comment. */
export interface EventBlock {
  readonly id: string | null;
  readonly event: string | null;
  /** Null for a comment. */
  readonly data: string | null;
  readonly comment: string | null;
}

/** Reads server-sent events. A block counts once it is complete. */
export class EventText {
  private readonly decoder = new TextDecoder();
  private text = '';

  /** Adds bytes of the stream. Returns the blocks that they complete. */
  add(bytes: Uint8Array): EventBlock[] {
    const blocks = (this.text + this.decoder.decode(bytes, { stream: true })).split('\n\n');
    this.text = blocks.pop()!;
    return blocks.map((block) => {
      const lines = block.split('\n');
      const fieldOf = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
      const comment = lines.find((line) => line.startsWith(':')) ?? null;
      return { id: fieldOf('id'), event: fieldOf('event'), data: fieldOf('data'), comment };
    });
  }
}
