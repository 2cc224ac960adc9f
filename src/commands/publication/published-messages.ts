/** Messages of one call. */
interface CallMessages {
  readonly messageIds: readonly string[];
  readonly urls: readonly string[];
}

/** Lists the messages of several calls: their links or, where the network gives none, their ids. */
export const listMessages = (calls: readonly CallMessages[]): string =>
  calls.flatMap(({ messageIds, urls }) => (urls.length > 0 ? urls : messageIds)).join(', ');
