interface ModelPost {
  readonly id: string;
  readonly number: number;
  text: string;
  /** Null: as soon as possible. */
  publishAt: number | null;
  targets: readonly number[];
  state: 'planned' | 'released' | 'ended';
  /** Null: none is required. */
  approval: 'pending' | 'approved' | 'rejected' | null;
}

/**
 * The simplest model of planned posts: a list. Its answers are the states and codes of the API (spec: D-58 to D-64).
 */
export class PlanModel {
  /** Ids in the order of their release. */
  readonly released: string[] = [];
  private readonly posts: ModelPost[] = [];
  private readonly walls = new Map<number, string[]>();

  /** Returns the id of the post that a random number selects; null if there is none. */
  choose(random: number): string | null {
    return this.posts.length === 0 ? null : this.posts[random % this.posts.length]!.id;
  }

  isReleased(id: string): boolean {
    return this.stateOf(id) === 'released';
  }

  stateOf(id: string): string {
    return this.find(id).state;
  }

  plan(id: string, text: string, publishAt: number, targets: readonly number[], needsApproval: boolean): void {
    const approval = needsApproval ? 'pending' : null;
    this.posts.push({ id, number: this.posts.length, text, publishAt, targets, state: 'planned', approval });
  }

  move(id: string, publishAt: number | null): string {
    const post = this.find(id);
    return this.change(post, () => (post.publishAt = publishAt));
  }

  replace(id: string, text: string, publishAt: number | null, targets: readonly number[]): string {
    const post = this.find(id);
    return this.change(post, () => Object.assign(post, { text, publishAt, targets }));
  }

  /** @returns number of publications that were cancelled */
  cancel(id: string): number {
    const post = this.find(id);
    if (post.state === 'ended') return 0;
    post.state = 'ended';
    return post.targets.length;
  }

  /** @returns the post's state, or the code of the refusal */
  decide(id: string, decision: 'approve' | 'reject', now: number): string {
    const post = this.find(id);
    if (post.approval === null) return 'no_approval_required';
    if (post.approval !== 'pending') return 'already_decided';
    if (post.state !== 'planned') return 'post_ended';
    post.approval = decision === 'approve' ? 'approved' : 'rejected';
    if (decision === 'reject') post.state = 'ended';
    else if (post.publishAt === null || post.publishAt <= now) this.release(post);
    return post.state;
  }

  /** Releases everything that is due, in order. @returns ids */
  releaseDue(now: number): string[] {
    const due = this.posts.filter(
      ({ state, approval, publishAt }) => state === 'planned' && approval !== 'pending' && publishAt! <= now,
    );
    due.sort((a, b) => a.publishAt! - b.publishAt! || a.number - b.number);
    for (const post of due) this.release(post);
    return due.map(({ id }) => id);
  }

  /** Returns the texts of a channel, in their order. */
  wallOf(channel: number): readonly string[] {
    return this.walls.get(channel) ?? [];
  }

  private change(post: ModelPost, apply: () => void): string {
    if (post.state !== 'planned') return post.state === 'released' ? 'already_released' : 'post_ended';
    apply();
    if (post.approval !== null) post.approval = 'pending';
    else if (post.publishAt === null) this.release(post);
    return post.state;
  }

  private release(post: ModelPost): void {
    post.state = 'released';
    this.released.push(post.id);
    for (const channel of post.targets) this.walls.set(channel, [...this.wallOf(channel), post.text]);
  }

  private find(id: string): ModelPost {
    return this.posts.find((post) => post.id === id)!;
  }
}
