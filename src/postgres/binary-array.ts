/**
 * Arrays in PostgreSQL's binary format. The driver would write them as text and escape every quote and backslash, which
 * for JSON is the largest cost of an append. It passes a Buffer parameter through unchanged. Elements may be null.
 */
const OID = { bool: 16, int8: 20, int4: 23, text: 25, float8: 701, uuid: 2950 } as const;

const HEADER_BYTES = 20;

/** @param maxBytes upper bound on the size of all values @param write writes a value and returns its size in bytes */
const encodeArray = <T>(
  oid: number,
  values: readonly (T | null)[],
  maxBytes: number,
  write: (buffer: Buffer, at: number, value: T) => number,
): Buffer => {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + 4 * values.length + maxBytes);
  buffer.writeInt32BE(1, 0); // dimensions
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16); // lower bound
  let at = HEADER_BYTES;
  for (const value of values) {
    const written = value === null ? -1 : write(buffer, at + 4, value);
    buffer.writeInt32BE(written, at);
    at += 4 + Math.max(0, written);
  }
  return buffer.subarray(0, at);
};

/** `text[]`. */
export const textArray = (values: readonly (string | null)[]): Buffer => {
  // An upper bound: measuring the exact size would take a second pass.
  const maxBytes = values.reduce((sum, value) => sum + 3 * (value?.length ?? 0), 0);
  return encodeArray(OID.text, values, maxBytes, (buffer, at, value) => buffer.write(value, at, 'utf8'));
};

/** `int4[]`. */
export const int4Array = (values: readonly (number | null)[]): Buffer =>
  encodeArray(OID.int4, values, 4 * values.length, (buffer, at, value) => buffer.writeInt32BE(value, at) - at);

/** `int8[]`. */
export const int8Array = (values: readonly (bigint | number | null)[]): Buffer =>
  encodeArray(OID.int8, values, 8 * values.length, (buffer, at, value) => {
    if (typeof value === 'bigint') return buffer.writeBigInt64BE(value, at) - at;
    buffer.writeInt32BE(Math.floor(value / 2 ** 32), at);
    buffer.writeUInt32BE(value >>> 0, at + 4);
    return 8;
  });

/** `int8[]` of signed numbers, each given as the 16 hex digits of its bits. */
export const hexInt8Array = (values: readonly (string | null)[]): Buffer =>
  encodeArray(OID.int8, values, 8 * values.length, (buffer, at, value) => buffer.write(value, at, 8, 'hex'));

/** `float8[]`. */
export const float8Array = (values: readonly (number | null)[]): Buffer =>
  encodeArray(OID.float8, values, 8 * values.length, (buffer, at, value) => buffer.writeDoubleBE(value, at) - at);

/** `boolean[]`. */
export const boolArray = (values: readonly (boolean | null)[]): Buffer =>
  encodeArray(OID.bool, values, values.length, (buffer, at, value) => buffer.writeUInt8(value ? 1 : 0, at) - at);

/** `uuid[]`, from UUIDs in the usual text form. @throws RangeError for any other text */
export const uuidArray = (values: readonly (string | null)[]): Buffer =>
  encodeArray(OID.uuid, values, 16 * values.length, (buffer, at, value) => {
    const hex = value.replaceAll('-', '');
    if (hex.length !== 32 || buffer.write(hex, at, 'hex') !== 16) throw new RangeError(`"${value}" is not a UUID`);
    return 16;
  });
