import { Inject, Injectable } from '@nestjs/common';
import { channel } from '../domain/channel/channel.decider.js';
import { channelPause, type PauseRequest, projectPause } from '../domain/pause/pause.decider.js';
import { project } from '../domain/project/project.decider.js';
import { AggregateStore, type DecisionResult } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { CLOCK, type Clock, type Instant, MINUTE_MS } from '../kernel/clock.js';
import type { DomainEvent, Origin } from '../kernel/events.js';
import { isRejection, type Rejection } from '../kernel/result.js';
import type { PublishPayload } from '../payload/payload.js';
import type { TempPauseBody, TempResumeBody } from '../payload/validate.js';
import type { SnapshotProject } from '../projections/discovery/endpoint-snapshots.queries.js';
import { CountRescheduled } from '../projections/publish-schedule/publish-schedule.queries.js';
import { inSlices } from '../runtime/cooperative-work.js';
import { type Completed, latestCompleted, newCommandContext, rejectForeign, requireCompleted } from './command.js';
import { listAllTargets, resolveTargets } from './resolve-targets.js';

/** A command that succeeded on one target. */
export interface CompletedOn extends Completed {
  readonly id: string;
  /** False if the target needed no change. */
  readonly isChanged: boolean;
}

/** Number of targets to write concurrently. The store combines their appends into few transactions. */
const AT_ONCE = 16;

/**
 * Executes a command on each target, several at a time. Skips rejected commands: their targets need no change.
 * @returns the commands that succeeded, in the order of the targets
 */
export const executeEach = async <S, E extends DomainEvent>(
  ids: readonly string[] = [],
  execute: (id: string) => Promise<DecisionResult<S, E> | Rejection>,
): Promise<CompletedOn[]> => {
  const results = await inSlices(ids, AT_ONCE, execute);
  return results.flatMap((result, i) =>
    isRejection(result)
      ? []
      : [{ id: ids[i]!, isChanged: result.events.length > 0, position: result.aggregate.position }],
  );
};

/** The projects and channels to pause, and for how many minutes (1..1440). */
export interface PauseScope {
  readonly projects?: { readonly ids: readonly string[]; readonly minutes: number };
  readonly channels?: { readonly ids: readonly string[]; readonly minutes: number };
}

/** The cause of a pause. A post pauses a target only once; repeated commands for the same post do nothing. */
export type PauseCause =
  { readonly source: 'temp-pause' | 'management' } | { readonly source: 'publication'; readonly postId: string };

/**
 * Pauses projects, channels or both; never shortens a longer pause (publish-api.md: Project and target pauses; D-21).
 *
 * Safe to repeat as a whole: each pause has its own stream, which applies the command once.
 */
@Injectable()
export class PauseTargets {
  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /** @throws Unavailable: some of the pauses may already be in force */
  async execute(
    context: CommandContext,
    { projects, channels }: PauseScope,
    cause: PauseCause,
  ): Promise<Completed | Rejection<'not_found'>> {
    const foreign =
      (await rejectForeign(this.aggregates, project, projects?.ids ?? [], context)) ??
      (await rejectForeign(this.aggregates, channel, channels?.ids ?? [], context));
    if (foreign) return foreign;
    const { minuteMs } = this;
    const { source } = cause;
    const postId = source === 'publication' ? cause.postId : null;
    const pauseFor = (minutes: number): PauseRequest => ({ at: context.at, minutes, minuteMs, source, postId });
    const completed = await Promise.all([
      executeEach(projects?.ids, (projectId) => {
        const command = { type: 'PauseProject', ...pauseFor(projects!.minutes), projectId } as const;
        return this.aggregates.execute(projectPause, projectId, command, context);
      }),
      executeEach(channels?.ids, (channelId) => {
        const command = { type: 'PauseChannel', ...pauseFor(channels!.minutes), channelId } as const;
        return this.aggregates.execute(channelPause, channelId, command, context);
      }),
    ]);
    return latestCompleted(completed.flat());
  }
}

/** A publication that a network has just accepted, before the success is recorded. */
export interface AcceptedPublication {
  readonly postId: string;
  readonly projectId: string;
  readonly channelId: string;
  readonly payload: Pick<PublishPayload, 'ad_pause_minutes' | 'ad_target_pause_minutes'>;
  readonly at: Instant;
  readonly origin: Omit<Origin, 'actor'>;
}

const ACTOR = 'system:pause-after-publication';

/**
 * Applies the pauses that a post requests (publish-api.md: Project and target pauses): the first success pauses the
 * project for `ad_pause_minutes`, each success pauses its channel for `ad_target_pause_minutes`.
 *
 * The publishing worker applies them after the network has accepted the post and **before** it records the success,
 * while it still holds the channel. So the pauses are in force as soon as the success is visible: the channel's next
 * post cannot be sent, not even after a crash in between, and posts accepted afterwards wait for the pause to end.
 */
@Injectable()
export class PauseAfterPublication {
  constructor(private readonly pauseTargets: PauseTargets) {}

  /**
   * Applies a post's pauses. Idempotent: repeated calls do not pause a project or channel again. Never shortens a pause.
   * @throws Unavailable; the caller must then not record the publication as published
   */
  async apply({ postId, projectId, channelId, payload, at, origin }: AcceptedPublication): Promise<void> {
    const { ad_pause_minutes: projectMinutes = 0, ad_target_pause_minutes: channelMinutes = 0 } = payload;
    const context = { ...origin, actor: ACTOR, commandId: `pause-after-publication/${postId}`, at };
    const scope = {
      projects: { ids: projectMinutes > 0 ? [projectId] : [], minutes: projectMinutes },
      channels: { ids: channelMinutes > 0 ? [channelId] : [], minutes: channelMinutes },
    };
    requireCompleted(await this.pauseTargets.execute(context, scope, { source: 'publication', postId }));
  }
}

/** The projects and channels whose pauses a command ended (D-53). */
export interface Resumed extends Completed {
  readonly projectIds: readonly string[];
  readonly channelIds: readonly string[];
}

/**
 * Ends the pauses of projects and channels; skips projects and channels that are not paused (publish-api.md:
 * temp-resume; D-21).
 *
 * Safe to repeat as a whole: each pause has its own stream, which applies the command once.
 */
@Injectable()
export class ResumeTargets {
  constructor(private readonly aggregates: AggregateStore) {}

  /** @throws Unavailable: some of the pauses may already have ended */
  async execute(
    context: CommandContext,
    { projectIds = [], channelIds = [] }: Partial<Pick<Resumed, 'projectIds' | 'channelIds'>>,
  ): Promise<Resumed | Rejection<'not_found'>> {
    const foreign =
      (await rejectForeign(this.aggregates, project, projectIds, context)) ??
      (await rejectForeign(this.aggregates, channel, channelIds, context));
    if (foreign) return foreign;
    const { at } = context;
    const [projects, channels] = await Promise.all([
      executeEach(projectIds, (projectId) =>
        this.aggregates.execute(projectPause, projectId, { type: 'ResumeProject', at, projectId }, context),
      ),
      executeEach(channelIds, (channelId) =>
        this.aggregates.execute(channelPause, channelId, { type: 'ResumeChannel', at, channelId }, context),
      ),
    ]);
    const { position } = latestCompleted([...projects, ...channels]);
    return { position, projectIds: idsOfChanged(projects), channelIds: idsOfChanged(channels) };
  }
}

const idsOfChanged = (completed: readonly CompletedOn[]): readonly string[] =>
  completed.filter(({ isChanged }) => isChanged).map(({ id }) => id);

/** The effect of temp-pause or temp-resume, as the response reports it (D-21, D-45). */
export interface PauseChangeResult extends Completed {
  readonly projectsAffected: number;
  /** Number of channels. */
  readonly resourcesAffected: number;
  /** Number of publications whose earliest time changed. */
  readonly rescheduled: number;
}

/**
 * Pauses an endpoint's projects, some of its channels, or both, without publishing (publish-api.md: temp-pause; D-21,
 * D-45).
 *
 * Each pause has its own stream: if this fails halfway, sending the request again completes it.
 */
@Injectable()
export class TempPause {
  constructor(
    private readonly pauseTargets: PauseTargets,
    private readonly countRescheduled: CountRescheduled,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /** @param projects the endpoint's projects */
  async execute(
    origin: Origin,
    projects: readonly SnapshotProject[],
    body: TempPauseBody,
  ): Promise<PauseChangeResult | Rejection<'invalid_targets'>> {
    const targets = resolveTargets(projects, body.targets);
    if (isRejection(targets)) return targets;
    const { minuteMs } = this;
    const at = this.clock.now();
    const { project_minutes, target_minutes } = body;
    const projectIds = project_minutes > 0 ? targets.projectIds : [];
    const channelIds = target_minutes > 0 ? targets.channelIds : [];
    const rescheduled = await this.countRescheduled.execute(
      at,
      { ids: projectIds, until: at + project_minutes * minuteMs },
      { ids: channelIds, until: at + target_minutes * minuteMs },
    );
    const scope = {
      projects: { ids: projectIds, minutes: project_minutes },
      channels: { ids: channelIds, minutes: target_minutes },
    };
    const context = newCommandContext(origin, 'temp-pause', at);
    const { position } = requireCompleted(await this.pauseTargets.execute(context, scope, { source: 'temp-pause' }));
    // D-45: pausing only projects counts all their channels, even if the request names only some of them.
    const resources = target_minutes > 0 ? channelIds : listAllTargets(projects).channelIds;
    return { position, projectsAffected: projectIds.length, resourcesAffected: resources.length, rescheduled };
  }
}

/**
 * Ends the pauses of an endpoint's projects, of some of its channels, or of both (publish-api.md: temp-resume; D-45).
 * Only pauses that this command ended count in the result (D-53).
 *
 * Each pause has its own stream: if this fails halfway, sending the request again completes it.
 */
@Injectable()
export class TempResume {
  constructor(
    private readonly resumeTargets: ResumeTargets,
    private readonly countRescheduled: CountRescheduled,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param projects the endpoint's projects */
  async execute(
    origin: Origin,
    projects: readonly SnapshotProject[],
    body: TempResumeBody,
  ): Promise<PauseChangeResult | Rejection<'invalid_targets'>> {
    const { scope, targets } = body;
    const ids = resolveTargets(projects, scope === 'targets' ? targets : []);
    if (isRejection(ids)) return ids;
    const at = this.clock.now();
    const projectIds = scope === 'targets' ? [] : ids.projectIds;
    const channelIds = scope === 'project' ? [] : ids.channelIds;
    const rescheduled = await this.countRescheduled.execute(
      at,
      { ids: projectIds, until: null },
      { ids: channelIds, until: null },
    );
    const context = newCommandContext(origin, 'temp-resume', at);
    const resumed = requireCompleted(await this.resumeTargets.execute(context, { projectIds, channelIds }));
    // D-45: if only projects are resumed, their channels are counted, as when only projects are paused.
    const ofProjects = projects.filter(({ project_id }) => resumed.projectIds.includes(project_id));
    const resources = resumed.channelIds.length > 0 ? resumed.channelIds : listAllTargets(ofProjects).channelIds;
    const { position } = resumed;
    return { position, projectsAffected: resumed.projectIds.length, resourcesAffected: resources.length, rescheduled };
  }
}
