/** An answer `{"ok": false}` of the Bot API, in the real server's words. */
export class Refusal extends Error {
  constructor(
    readonly errorCode: number,
    readonly description: string,
    readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number },
  ) {
    super(description);
  }
}

/** 400, worded as the server words an error from within: `Bad Request: ` and the sentence with a small first letter. */
export const badRequest = (sentence: string): Refusal => {
  const shouted = /^[A-Z][A-Z_]/.test(sentence);
  return new Refusal(400, `Bad Request: ${shouted ? sentence : sentence.charAt(0).toLowerCase() + sentence.slice(1)}`);
};
