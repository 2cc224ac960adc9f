/** The answer to a sign-in: everything that the console needs to work for an owner. */
export interface SignInView {
  /** The owner's API key. */
  readonly key: string;
  readonly owner: { readonly id: string; readonly name: string };
}
