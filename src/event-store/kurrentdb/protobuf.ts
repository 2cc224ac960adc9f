import protobuf from 'protobufjs/minimal.js';

/** Writing and reading the fields of protobuf messages. */
export const { Reader, Writer } = protobuf;
export type Writing = ReturnType<typeof Writer.create>;
export type Reading = ReturnType<typeof Reader.create>;

/** Tag of a field that holds bytes, a text or a message. */
export const bytesField = (field: number): number => (field << 3) | 2;

/** Tag of a field that holds a number. */
export const numberField = (field: number): number => field << 3;

/** Reads an embedded message. @param readField returns undefined for a field that it has not read */
export const readFields = (reader: Reading, readField: (tag: number) => unknown): void => {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (readField(tag) === undefined) reader.skipType(tag & 7);
  }
};

/** Reads an uint64. The library's own function returns a number if it does not find the library `long`. */
export const readBigInt = (reader: Reading): bigint => {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = reader.buf[reader.pos++] ?? 0;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return value;
  }
};

/** Reads a message that holds one text. */
export const readText = (reader: Reading, field: number): string => {
  let text = '';
  readFields(reader, (tag) => (tag === bytesField(field) ? (text = reader.string()) : undefined));
  return text;
};

/** Reads a position. Ordinary appends commit at the position where they were prepared, so one number is the whole position. */
export const readCommitPosition = (reader: Reading): bigint => {
  let position = 0n;
  readFields(reader, (tag) => (tag === numberField(1) ? (position = readBigInt(reader)) : undefined));
  return position;
};
