/** Thrown for an invalid control request; the message names the field and its valid values. */
export class InvalidControlRequest extends Error {}
