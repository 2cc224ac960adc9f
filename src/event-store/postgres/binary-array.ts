/**
 * Arrays in PostgreSQL's binary format. The driver would write them as text with every quote and backslash escaped,
 * which for JSON is the largest cost of an append; a Buffer parameter goes through as it is.
 */
const OID = { bool: 16, int8: 20, int4: 23, text: 25, uuid: 2950 } as const;

const array = <T>(oid: number, values: readonly T[], size: (value: T) => number, write: Writer<T>): Buffer => {
  let bytes = 20;
  for (const value of values) bytes += 4 + size(value);
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(1, 0); // dimensions
  buffer.writeInt32BE(0, 4); // no nulls
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16); // lower bound
  let at = 20;
  for (const value of values) {
    const written = write(buffer, at + 4, value);
    buffer.writeInt32BE(written, at);
    at += 4 + written;
  }
  return buffer;
};
type Writer<T> = (buffer: Buffer, at: number, value: T) => number;

/** `text[]`. */
export const textArray = (values: readonly string[]): Buffer =>
  array(
    OID.text,
    values,
    (value) => Buffer.byteLength(value),
    (buffer, at, value) => buffer.write(value, at, 'utf8'),
  );

/** `int4[]`. */
export const int4Array = (values: readonly number[]): Buffer =>
  array(
    OID.int4,
    values,
    () => 4,
    (buffer, at, value) => buffer.writeInt32BE(value, at) - at,
  );

/** `int8[]`. */
export const int8Array = (values: readonly bigint[]): Buffer =>
  array(
    OID.int8,
    values,
    () => 8,
    (buffer, at, value) => buffer.writeBigInt64BE(value, at) - at,
  );

/** `boolean[]`. */
export const boolArray = (values: readonly boolean[]): Buffer =>
  array(
    OID.bool,
    values,
    () => 1,
    (buffer, at, value) => buffer.writeUInt8(value ? 1 : 0, at) - at,
  );

/** `uuid[]`, from their usual text form. @throws RangeError for anything else. */
export const uuidArray = (values: readonly string[]): Buffer =>
  array(
    OID.uuid,
    values,
    () => 16,
    (buffer, at, value) => {
      const hex = value.replaceAll('-', '');
      if (hex.length !== 32 || buffer.write(hex, at, 'hex') !== 16) throw new RangeError(`"${value}" is no UUID`);
      return 16;
    },
  );
