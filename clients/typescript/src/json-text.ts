/** JSON exactly as its author wrote it. As a request body, it is sent byte for byte. */
export class JsonText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Serializes a value as JSON. */
export const toJson = (value: unknown): string =>
  value instanceof JsonText ? value.toString() : JSON.stringify(value);
