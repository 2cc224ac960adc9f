/** The read models that show a change to a post; the response to such a change waits for them. */
export const READ_MODELS_OF_POSTS: readonly string[] = ['posts', 'planned-posts', 'publish-schedule'];
