import type { Position } from '../../../event-store/port.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { PublishError, Rendering, SendContext, Step, StepOutcome } from '../../../platforms/publisher.js';
import type { Leases } from '../../../postgres/leases.js';
import type { SecretVault } from '../../../secrets/vault.js';
import type { Doubts, Verdict } from './in-doubt-resolver.js';
import { broken, erased, interrupted, overdue } from './attempt-errors.js';
import type { MediaFiles } from '../inputs/media-files.js';
import type { Outcomes } from './outcome-recorder.js';
import type { Pacing } from './pacing.js';
import { nextStep, visible, type Work } from './publication-attempt.js';

/** What sending takes. */
export interface SendingDependencies {
  readonly vault: SecretVault;
  readonly pacing: Pacing;
  readonly media: MediaFiles;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Log;
}

type Credentials = Readonly<Record<string, string>>;

/** What a step has come to, once everything was done to find that out. */
type Resolved =
  | Exclude<StepOutcome, { kind: 'in_doubt' }>
  | { readonly kind: 'unresolved'; readonly error: PublishError }
  | { readonly kind: 'left' };

/** Takes a publication through its steps, in an attempt of its own or in one that somebody else has left open. */
export class Sending {
  /** @param mayGo whether the channel takes posts at this moment */
  constructor(
    private readonly on: SendingDependencies,
    private readonly outcomes: Outcomes,
    private readonly doubts: Doubts,
    private readonly mayGo: (work: Work) => Promise<boolean>,
  ) {}

  /** Sends what is left of it. @returns the position of the last event; null where nothing came of it. */
  async send(work: Work, first: Rendering): Promise<Position | null> {
    const { vault, pacing, leases, clock } = this.on;
    const { worker, ending, projectRevision } = work;
    let rendering = first;
    let step = nextStep(rendering, work.loaded.state.results);
    const credentials = await vault.get(work.channel.credentialsId);
    const waited = step !== undefined && credentials !== null && (await pacing.turn(work, step, credentials));
    if (waited && !(await this.mayGo(work))) return null; // meanwhile
    if (!leases.isValid(worker) || ending.stop.aborted) return null;

    const attempt = { at: clock.now(), worker, sending: visible(step), projectRevision };
    let position = await this.outcomes.record(work, { type: 'Start', ...attempt });
    if (position === null) return null;
    if (credentials === null) return this.outcomes.conclude(work, { kind: 'credentials', error: erased }, rendering);
    while (step !== undefined) {
      // Past this point nothing can be taken back: whoever may have lost the channel must not send.
      if (!leases.isValid(worker)) return this.outcomes.interrupt(work, overdue);
      const context = this.contextOf(work, credentials);
      const outcome = await this.outcomeOf(work, step, context);
      if (outcome.kind === 'left') return null;
      if (outcome.kind === 'unresolved') return this.outcomes.doubt(work, outcome.error);
      if (outcome.kind !== 'done') return this.outcomes.conclude(work, outcome, rendering);
      // What this step found may change those that follow.
      const known = { ...context.results, [step.name]: outcome.result };
      rendering = work.render(known);
      const next = nextStep(rendering, known);
      if (next === undefined) return this.outcomes.conclude(work, outcome, rendering);
      position = await this.goOn(work, step, outcome, next, credentials);
      if (position === null) return null;
      step = next;
    }
    return position;
  }

  /** An attempt whose worker is gone: looked into where something visible was on its way, else simply again. */
  async recover(work: Work): Promise<Position | null> {
    const { sending, results } = work.loaded.state;
    const error = interrupted(sending);
    if (sending === null) return this.outcomes.interrupt(work, error);
    const step = this.stepNamed(work, sending);
    const credentials = await this.on.vault.get(work.channel.credentialsId);
    if (!step || !credentials) return this.outcomes.doubt(work, error);
    const verdict = await this.resolve(work, step, this.contextOf(work, credentials));
    switch (verdict.kind) {
      case 'sent': {
        const known = { ...results, [step.name]: verdict.outcome.result };
        const rendering = work.render(known);
        if (!nextStep(rendering, known)) return this.outcomes.conclude(work, verdict.outcome, rendering);
        // What follows is for an attempt of our own: the worker of this one may only have been slow.
        const position = await this.outcomes.stepDone(work, step, verdict.outcome, null);
        return position === null ? null : this.outcomes.interrupt(work, error);
      }
      case 'not_sent':
        return this.outcomes.interrupt(work, error);
      case 'unresolved':
        return this.outcomes.doubt(work, error);
      case 'left':
        return null;
    }
  }

  /** Writes a step's result down, and comes to the next one at the network's pace: a wait is never in doubt. */
  private async goOn(
    work: Work,
    step: Step,
    outcome: Extract<StepOutcome, { kind: 'done' }>,
    next: Step,
    credentials: Credentials,
  ): Promise<Position | null> {
    const { pacing } = this.on;
    const sending = visible(next);
    if (!pacing.enabled || sending === null) {
      const position = await this.outcomes.stepDone(work, step, outcome, sending);
      if (position !== null) await pacing.turn(work, next, credentials);
      return position;
    }
    if ((await this.outcomes.stepDone(work, step, outcome, null)) === null) return null;
    await pacing.turn(work, next, credentials);
    if (work.ending.stop.aborted) return null; // who takes the attempt over finds nothing on its way
    const { attempt } = work.loaded.state;
    return this.outcomes.record(work, { type: 'BeginSend', attempt, sending });
  }

  /** Sends a step, and looks into it where that ends in doubt. */
  private async outcomeOf(work: Work, step: Step, context: SendContext): Promise<Resolved> {
    const outcome = await work.publisher.send(step, context).catch((thrown: unknown): StepOutcome => {
      const error = this.told(work, thrown);
      return step.visible ? { kind: 'in_doubt', error } : { kind: 'retry', error, afterMs: null, named: false };
    });
    if (outcome.kind !== 'in_doubt') return outcome;
    const verdict = await this.resolve(work, step, context);
    const { error } = outcome;
    switch (verdict.kind) {
      case 'sent':
        return verdict.outcome;
      case 'not_sent':
        return { kind: 'retry', error, afterMs: null, named: false };
      case 'unresolved':
        return { kind: 'unresolved', error };
      case 'left':
        return verdict;
    }
  }

  private resolve(work: Work, step: Step, context: SendContext): Promise<Verdict> {
    return this.doubts.resolve(work, step, context, () => this.mayGo(work));
  }

  /** Undefined where there is no such step any more. */
  private stepNamed(work: Work, name: string): Step | undefined {
    try {
      return work.render(work.loaded.state.results).steps.find((step) => step.name === name);
    } catch (thrown) {
      this.told(work, thrown);
      return undefined;
    }
  }

  private told({ row }: Work, thrown: unknown): PublishError {
    this.on.log.error({ publication: row.publication_id, error: String(thrown) }, 'a publisher broke');
    return broken;
  }

  private contextOf(work: Work, credentials: Credentials): SendContext {
    const { results, waits } = work.loaded.state;
    const { post_id: postId, publication_id: key } = work.row;
    const signal = work.ending.breakOff;
    const media = this.on.media.of({ postId, media: work.payload.media ?? [], signal });
    return { credentials, channel: work.target, results, key, waits, media, signal };
  }
}
