/** A Bot API error, `{"ok": false}`, with the real server's message. */
export class ApiError extends Error {
  constructor(
    readonly errorCode: number,
    readonly description: string,
    readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number },
  ) {
    super(description);
  }
}

/**
 * Creates error 400 in the server's format: `Bad Request: ` and the sentence with a lower-case first letter; constants
 * such as `BUTTON_URL_INVALID` stay unchanged.
 */
export const badRequest = (sentence: string): ApiError => {
  const isConstant = /^[A-Z][A-Z_]/.test(sentence);
  return new ApiError(
    400,
    `Bad Request: ${isConstant ? sentence : sentence.charAt(0).toLowerCase() + sentence.slice(1)}`,
  );
};
