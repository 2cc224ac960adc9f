import protobuf from 'protobufjs/minimal.js';

/** Reader and writer of protobuf messages. */
export const { Reader, Writer } = protobuf;
export type Writing = ReturnType<typeof Writer.create>;
export type Reading = ReturnType<typeof Reader.create>;

/** Tag of a field that holds bytes, a string or a message. */
export const bytesField = (field: number): number => (field << 3) | 2;

/** Tag of a field that holds a number. */
export const numberField = (field: number): number => field << 3;

/** Reads an embedded message. @param readField returns undefined for a field that it does not read */
export const readFields = (reader: Reading, readField: (tag: number) => unknown): void => {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (readField(tag) === undefined) reader.skipType(tag & 7);
  }
};

/** Number of low bits of a uint64 that are read as a number: seven groups of seven bits. */
const LOW_BITS = 49n;

/** Reads a uint64. The library's own function returns a number unless the package `long` is installed. */
export const readBigInt = (reader: Reading): bigint => {
  const low = readGroups(reader, 7);
  // The last byte read indicates whether more groups follow.
  if ((reader.buf[reader.pos - 1] ?? 0) < 128) return BigInt(low);
  return (BigInt(readGroups(reader, 3)) << LOW_BITS) | BigInt(low);
};

/** Reads at most the given number of seven-bit groups. */
const readGroups = (reader: Reading, most: number): number => {
  let value = 0;
  let unit = 1;
  for (let group = 0; group < most; group++) {
    const byte = reader.buf[reader.pos++] ?? 0;
    value += (byte & 127) * unit;
    if (byte < 128) break;
    unit *= 128;
  }
  return value;
};

/** Reads a message that holds one string. */
export const readText = (reader: Reading, field: number): string => {
  let text = '';
  readFields(reader, (tag) => (tag === bytesField(field) ? (text = reader.string()) : undefined));
  return text;
};

/** Reads a position. Ordinary appends commit where they were prepared, so one number is the whole position. */
export const readCommitPosition = (reader: Reading): bigint => {
  let position = 0n;
  readFields(reader, (tag) => (tag === numberField(1) ? (position = readBigInt(reader)) : undefined));
  return position;
};
