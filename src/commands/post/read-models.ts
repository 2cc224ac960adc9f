/** Read models that reflect changes to posts. A request that changes a post waits for them before it responds. */
export const READ_MODELS_OF_POSTS: readonly string[] = ['posts', 'planned-posts', 'publish-schedule'];
