/**
 * Arrays in PostgreSQL's binary format. The driver would write them as text and escape every quote and backslash, which
 * for JSON is the largest cost of an append. It passes a Buffer parameter through unchanged. Elements may be null.
 */
const OID = { bool: 16, int8: 20, int4: 23, text: 25, float8: 701, uuid: 2950 } as const;

type Writer<T> = (buffer: Buffer, at: number, value: T) => number;

/** @param size upper bound of a value's size, in bytes */
const encodeArray = <T>(
  oid: number,
  values: readonly (T | null)[],
  size: (value: T) => number,
  write: Writer<T>,
): Buffer => {
  let bytes = 20;
  let hasNull = 0;
  for (const value of values) {
    bytes += 4;
    if (value === null) hasNull = 1;
    else bytes += size(value);
  }
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(1, 0); // dimensions
  buffer.writeInt32BE(hasNull, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16); // lower bound
  let at = 20;
  for (const value of values) {
    const written = value === null ? -1 : write(buffer, at + 4, value);
    buffer.writeInt32BE(written, at);
    at += 4 + Math.max(0, written);
  }
  return buffer.subarray(0, at);
};

/** `text[]`. */
export const textArray = (values: readonly (string | null)[]): Buffer =>
  encodeArray(
    OID.text,
    values,
    (value) => value.length * 3, // an upper bound: measuring the exact size would take a second pass
    (buffer, at, value) => buffer.write(value, at, 'utf8'),
  );

/** `int4[]`. */
export const int4Array = (values: readonly (number | null)[]): Buffer =>
  encodeArray(
    OID.int4,
    values,
    () => 4,
    (buffer, at, value) => buffer.writeInt32BE(value, at) - at,
  );

/** `int8[]`. */
export const int8Array = (values: readonly (bigint | number | null)[]): Buffer =>
  encodeArray(
    OID.int8,
    values,
    () => 8,
    (buffer, at, value) => {
      if (typeof value === 'bigint') return buffer.writeBigInt64BE(value, at) - at;
      buffer.writeInt32BE(Math.floor(value / 2 ** 32), at);
      buffer.writeUInt32BE(value >>> 0, at + 4);
      return 8;
    },
  );

/** `int8[]` of signed numbers, each given as the 16 hex digits of its bits. */
export const hexInt8Array = (values: readonly (string | null)[]): Buffer =>
  encodeArray(
    OID.int8,
    values,
    () => 8,
    (buffer, at, value) => buffer.write(value, at, 8, 'hex'),
  );

/** `float8[]`. */
export const float8Array = (values: readonly (number | null)[]): Buffer =>
  encodeArray(
    OID.float8,
    values,
    () => 8,
    (buffer, at, value) => buffer.writeDoubleBE(value, at) - at,
  );

/** `boolean[]`. */
export const boolArray = (values: readonly (boolean | null)[]): Buffer =>
  encodeArray(
    OID.bool,
    values,
    () => 1,
    (buffer, at, value) => buffer.writeUInt8(value ? 1 : 0, at) - at,
  );

/** `uuid[]`, from UUIDs in the usual text form. @throws RangeError for any other text */
export const uuidArray = (values: readonly (string | null)[]): Buffer =>
  encodeArray(
    OID.uuid,
    values,
    () => 16,
    (buffer, at, value) => {
      const hex = value.replaceAll('-', '');
      if (hex.length !== 32 || buffer.write(hex, at, 'hex') !== 16) throw new RangeError(`"${value}" is not a UUID`);
      return 16;
    },
  );
