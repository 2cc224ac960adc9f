import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type DecisionResult, emptyAggregate } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import type { Position } from '../event-store/port.js';
import type { Instant } from '../kernel/clock.js';
import { type Decider, type DomainEvent, type Origin, ownerOfOrigin, streamOf } from '../kernel/events.js';
import { deriveUuid } from '../kernel/ids.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { isRejection, reject, type Rejection } from '../kernel/result.js';
import { yieldToEventLoop } from '../runtime/cooperative-work.js';
import type { SecretVault } from '../secrets/vault.js';
import { COMMAND_MESSAGES } from './messages.js';

/** A command that succeeded, now or in an earlier run of the same command. */
export interface Completed {
  /** Position that the read models must reach to show the change; -1n if nothing changed. */
  readonly position: Position;
}

/** The outcome of a use case: success, or the reason for a rejection. */
export type CommandOutcome = Completed | Rejection;

/** Converts a decision into the outcome that callers of the use case need. */
export const toOutcome = <S, E extends DomainEvent, Code extends string>(
  result: DecisionResult<S, E> | Rejection<Code>,
): Completed | Rejection<Code> => (isRejection(result) ? result : { position: result.aggregate.position });

/** Returns the successes among several decisions. */
export const listCompleted = <S, E extends DomainEvent>(
  results: readonly (DecisionResult<S, E> | Rejection)[],
): Completed[] => results.flatMap((result) => (isRejection(result) ? [] : [{ position: result.aggregate.position }]));

/** Combines several successes into one, with the latest of their positions. */
export const latestCompleted = (each: readonly Completed[]): Completed =>
  each.reduce((last, next) => (next.position > last.position ? next : last), { position: -1n });

/**
 * Returns the result of a command that must never be rejected for its actor.
 * @throws Error if it was rejected anyway
 */
export const requireCompleted = <C extends Completed>(outcome: C | Rejection): C => {
  if (isRejection(outcome)) throw new Error(`unexpected rejection: ${outcome.rejection}: ${outcome.message}`);
  return outcome;
};

/** A command that needs only its aggregate. Subclasses have no handler of their own. */
export class AggregateCommand<C> extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly decider: Decider<C, unknown, DomainEvent, string>,
    readonly id: string,
    readonly command: C,
  ) {
    super();
  }
}

/** Handles every {@link AggregateCommand}: the command bus finds handlers by metadata, which subclasses inherit. */
@CommandHandler(AggregateCommand)
export class AggregateCommandHandler implements ICommandHandler<AggregateCommand<unknown>> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, decider, id, command }: AggregateCommand<unknown>): Promise<CommandOutcome> {
    return toOutcome(await this.aggregates.execute(decider, id, command, context));
  }
}

export type { CommandContext } from '../event-store/codec.js';

/** The part of an HTTP request that is stored with the events it causes. */
export interface RequestOrigin {
  /** `req_…` */
  readonly id: string;
  readonly clientAddress: string;
}

/** Who sent a request: the actor, and the name and rights of a named key. */
export type Author = Pick<Origin, 'actor' | 'actorName' | 'rights'>;

/** Returns the origin of the events that an HTTP request causes. */
export const originOfRequest = (author: Author, { id, clientAddress }: RequestOrigin): Origin => {
  const origin = { actor: author.actor, requestId: id, causationId: id, correlationId: id, clientAddress };
  return author.rights ? { ...origin, actorName: author.actorName, rights: author.rights } : origin;
};

/** Returns a context whose event ids derive from the request and the use case, so an append can be repeated. */
export const newCommandContext = (origin: Origin, useCase: string, at: Instant): CommandContext => {
  const { actor, requestId, causationId, correlationId, clientAddress, rights } = origin;
  const commandId = `${causationId}/${useCase}`;
  const context = { actor, requestId, causationId, correlationId, clientAddress, commandId, at };
  return rights ? { ...context, actorName: origin.actorName, rights } : context;
};

/**
 * Rejects an owner's command if it concerns another owner's projects or channels, or their pauses or publications.
 * Pauses and publications do not name their owner, but their project or channel does. Reads nothing for other actors.
 * @param ids the projects or channels that the command changes
 * @returns null if the actor may execute the command
 * @throws Unavailable
 */
export const rejectForeign = async <S, E extends DomainEvent>(
  aggregates: AggregateStore,
  decider: Decider<never, S, E, string>,
  ids: readonly string[],
  context: CommandContext,
): Promise<Rejection<'not_found'> | null> => {
  const caller = ownerOfOrigin(context);
  if (caller === null) return null;
  for (const id of ids) {
    const { state } = await aggregates.loadAggregate(decider, id);
    if (decider.ownerOf?.(state, id) !== caller)
      return reject('not_found', RESOURCE_MESSAGES.notFound({ what: decider.category }));
  }
  return null;
};

/**
 * Rejects a list with ids that the owner does not have. `figures` maps each path (`channel_ids[1]`) to its id.
 * @param missing the unknown ids, with their index in the list
 */
export const rejectUnknownIds = (
  list: 'channel_ids' | 'project_ids' | 'endpoint_ids',
  missing: readonly { readonly index: number; readonly id: string }[],
): Rejection<'unknown_ids'> =>
  reject(
    'unknown_ids',
    COMMAND_MESSAGES.unknownIds({ ids: missing.map(({ id }) => id).join(', ') }),
    Object.fromEntries(missing.map(({ index, id }) => [`${list}[${index}]`, id])),
  );

/** Encrypts and stores an aggregate's signing secret. Returns its id, which is the same if the command is repeated. */
export const storeSigningSecret = (
  vault: SecretVault,
  decider: { readonly category: string },
  id: string,
  secret: string,
  { commandId }: CommandContext,
): Promise<string> => vault.storeSecret({ secret }, streamOf(decider, id), deriveUuid(`${commandId}/signing-secret`));

/** Size of a part in bytes: below 1 MiB, although it is in base64 twice, because it is sealed. */
export const PART_BYTES = 560_000;

/**
 * Appends bytes in parts to a stream of their own, because an event is limited to 1 MiB (D-42).
 * @param describe returns the event of a part, and its context
 * @param limit is checked before each append
 * @returns the number of parts
 * @throws Unavailable
 */
export const appendInParts = async (
  aggregates: AggregateStore,
  stream: string,
  bytes: Buffer,
  describe: (index: number, chunk: string) => readonly [DomainEvent, CommandContext],
  limit: { check(): void } | null = null,
): Promise<number> => {
  let after = emptyAggregate({ initial: null });
  let index = 0;
  for (let from = 0; from < bytes.length; from += PART_BYTES, index++) {
    await yieldToEventLoop();
    const [part, context] = describe(index, bytes.subarray(from, from + PART_BYTES).toString('base64'));
    const { events, hash } = await aggregates.encodeEvents(stream, [part], after, context);
    limit?.check();
    after = { state: null, hash, ...(await aggregates.appendWithRetry(stream, after.revision, events)) };
  }
  return index;
};
