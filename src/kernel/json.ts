/** A JSON value. Events, payloads and read models consist of JSON values. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
/** A JSON object. Undefined members are omitted. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
