/** What JSON can hold; what events, payloads and read models are made of. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
/** An object of JSON; a member that is undefined is not there. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
