import { Injectable } from '@nestjs/common';
import { endpoint } from '../domain/endpoint/endpoint.decider.js';
import { owner, type OwnerCommand } from '../domain/owner/owner.decider.js';
import type { Locale, OwnerRegistered, Plan } from '../domain/owner/owner.events.js';
import { webhookOutput } from '../domain/webhook-output/webhook-output.decider.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import type { Instant } from '../kernel/clock.js';
import { type Origin, streamOf } from '../kernel/events.js';
import { deriveUuid } from '../kernel/ids.js';
import { isRejection } from '../kernel/result.js';
import { LiveEndpoints } from '../projections/discovery/discovery.queries.js';
import { References } from '../projections/discovery/references.queries.js';
import { SecretVault } from '../secrets/vault.js';
import {
  AggregateCommand,
  type CommandOutcome,
  type Completed,
  latestCompleted,
  listCompleted,
  toOutcome,
} from './command.js';
import { Deletions } from './deletion.js';
import { disableCommandId } from './endpoint.js';
import { DISABLED_REASONS } from './messages.js';
import { PlanAllowances } from './plan-limits.js';

/** Gives an owner extra posts beyond the plan's monthly quota (D-18). */
export class AddPostPack extends AggregateCommand<OwnerCommand> {
  /** @param posts at least 1 */
  constructor(context: CommandContext, ownerId: string, posts: number) {
    super(context, owner, ownerId, { type: 'AddPostPack', ownerId, posts });
  }
}

const ACTOR = 'system:withdraw-input';

type WithdrawalOrigin = Omit<Origin, 'actor'> & { readonly at: Instant };

/**
 * Disables the live endpoints and the webhook outputs that an owner's plan does not include (D-8), even if the
 * endpoints get no requests. The command that changes the plan does so at once; the saga `withdraw-input` repeats it,
 * in case the process died before it finished.
 */
@Injectable()
export class PlanWithdrawal {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly endpoints: LiveEndpoints,
    private readonly references: References,
    private readonly plans: PlanAllowances,
  ) {}

  /**
   * Reads the plan from the owner's stream, and the endpoints and outputs from the read model `discovery`.
   * @throws Unavailable
   */
  async withdraw(ownerId: string, origin: WithdrawalOrigin): Promise<readonly Completed[]> {
    return [...(await this.disableEndpoints(ownerId, origin)), ...(await this.disableOutputs(ownerId, origin))];
  }

  /**
   * Disables each endpoint at most once after it was last enabled, no matter whether this method or the gate gets there
   * first.
   */
  private async disableEndpoints(ownerId: string, origin: WithdrawalOrigin): Promise<Completed[]> {
    const plan = await this.findPlanOutside(this.plans.inputPlans, ownerId);
    if (plan === null) return [];
    const reason = DISABLED_REASONS.planWithoutInput({ plan });
    const enabled = await this.endpoints.findEnabled(ownerId);
    const decided = enabled.map(({ endpointId, epoch }) => {
      const context = { ...origin, actor: ACTOR, commandId: disableCommandId(endpointId, 'plan', epoch) };
      const command = { type: 'DisableEndpoint', endpointId, by: 'plan', reason } as const;
      return this.aggregates.execute(endpoint, endpointId, command, context);
    });
    return listCompleted(await Promise.all(decided));
  }

  private async disableOutputs(ownerId: string, origin: WithdrawalOrigin): Promise<Completed[]> {
    const plan = await this.findPlanOutside(this.plans.outputPlans, ownerId);
    if (plan === null) return [];
    const reason = DISABLED_REASONS.planWithoutOutput({ plan });
    const { outputs } = await this.references.findOwned(ownerId);
    const decided = outputs.map((outputId) => {
      const context = { ...origin, actor: ACTOR, commandId: `disable/${outputId}/plan/${origin.causationId}` };
      const command = { type: 'DisableOutput', outputId, by: 'plan', reason } as const;
      return this.aggregates.execute(webhookOutput, outputId, command, context);
    });
    return listCompleted(await Promise.all(decided));
  }

  /** Returns the owner's plan; null if it is among `plans`, or if there is no such owner. */
  private async findPlanOutside(plans: readonly Plan[], ownerId: string): Promise<Plan | null> {
    const { state } = await this.aggregates.loadAggregate(owner, ownerId);
    return state && !plans.includes(state.plan) ? state.plan : null;
  }
}

/** The chat that receives an owner's notices. */
export interface NoticeChat {
  readonly botToken: string;
  readonly chatId: string;
}

/** Fields to change; undefined fields stay unchanged, and null removes the chat. */
export interface OwnerChange {
  readonly name?: string;
  readonly plan?: Plan;
  readonly locale?: Locale;
  readonly noticeChat?: NoticeChat | null;
}

/** Changes an owner's name, plan, language or notice chat; undefined fields stay unchanged, null removes the chat. */
@Injectable()
export class ChangeOwner {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly withdrawal: PlanWithdrawal,
  ) {}

  async execute(
    context: CommandContext,
    ownerId: string,
    { name, plan, locale, noticeChat }: OwnerChange,
  ): Promise<CommandOutcome> {
    // First completes an earlier change that was interrupted: an upgrade would hide its unfinished work.
    if (plan !== undefined) await this.withdrawal.withdraw(ownerId, context);
    const changed = toOutcome(
      await this.aggregates.execute(owner, ownerId, { type: 'ChangeOwner', ownerId, name, plan, locale }, context),
    );
    if (isRejection(changed)) return changed;
    const disabled = plan === undefined ? [] : await this.withdrawal.withdraw(ownerId, context);
    const all = latestCompleted([changed, ...disabled]);
    if (noticeChat === undefined) return all;
    const commandId = `${context.commandId}/notice-chat`;
    const command = await this.noticeChatCommand(ownerId, noticeChat, commandId);
    const set = toOutcome(await this.aggregates.execute(owner, ownerId, command, { ...context, commandId }));
    return isRejection(set) ? set : latestCompleted([all, set]);
  }

  private async noticeChatCommand(ownerId: string, chat: NoticeChat | null, commandId: string): Promise<OwnerCommand> {
    if (!chat) return { type: 'RemoveNoticeChat', ownerId };
    const secretId = await this.vault.storeSecret(
      { bot_token: chat.botToken },
      streamOf(owner, ownerId),
      deriveUuid(commandId),
    );
    return { type: 'SetNoticeChat', ownerId, chatId: chat.chatId, secretId };
  }
}

/**
 * Deletes an owner with all its resources. Its API key stops working at once.
 *
 * Appends the deletion first. Its consequences follow here or, after a crash, in the saga `complete-deletions`.
 */
@Injectable()
export class DeleteOwner {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly deletions: Deletions,
  ) {}

  async execute(context: CommandContext, ownerId: string): Promise<CommandOutcome> {
    const command = { type: 'DeleteOwner', ownerId } as const;
    const deleted = toOutcome(await this.aggregates.execute(owner, ownerId, command, context));
    return this.deletions.completeNow(deleted, ({ position }) =>
      this.deletions.completeOwner(ownerId, position, context),
    );
  }
}

/** Registers an owner, with a plan and an API key. */
export class RegisterOwner extends AggregateCommand<OwnerCommand> {
  constructor(context: CommandContext, fields: OwnerRegistered['data'] & { readonly locale?: Locale }) {
    super(context, owner, fields.ownerId, { type: 'RegisterOwner', ...fields });
  }
}

/** Replaces an owner's API key. */
export class RotateOwnerKey extends AggregateCommand<OwnerCommand> {
  /** @param keyHash SHA-256, hex @param overlapMs how long the old key also works, in ms; 0 if it stops at once */
  constructor(context: CommandContext, ownerId: string, keyHash: string, overlapMs: number) {
    const overlap = overlapMs > 0 ? { previousUntil: context.at + overlapMs } : {};
    super(context, owner, ownerId, { type: 'RotateOwnerKey', ownerId, keyHash, ...overlap });
  }
}
