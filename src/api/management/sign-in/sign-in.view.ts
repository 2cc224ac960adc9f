/** The response to a sign-in: everything the console needs to act on behalf of an owner. */
export interface SignInView {
  /** The owner's API key. */
  readonly key: string;
  readonly owner: { readonly id: string; readonly name: string };
}
