import type { Provider } from '@nestjs/common';
import { ChangeChannel, ConnectChannel, DeleteChannel } from './channel.js';
import { AggregateCommandHandler } from './command.js';
import { Deletions } from './deletion.js';
import { PingWebhookOutput, RetryDeliveries, ScheduleDelivery } from './delivery.js';
import {
  ChangeEndpoint,
  CreateEndpoint,
  DeleteEndpoint,
  DisableEndpoint,
  EnableEndpoint,
  OpenConsoleEndpoint,
  RotateSigningSecret,
} from './endpoint.js';
import { EraseContent } from './erase-content.js';
import { ManageKeys } from './key.js';
import { DeleteMedia, UploadMedia } from './media.js';
import { ChangeOwner, DeleteOwner, PlanWithdrawal } from './owner.js';
import { PauseTargets, ResumeTargets, TempPause, TempResume } from './pause.js';
import { CappedCreation, PlanAllowances, PlannedCap } from './plan-limits.js';
import { AcceptPost } from './post/accept-post.js';
import { EditPosts } from './post/edit-posts.js';
import { KeyClaims } from './post/key-claims.js';
import { LargePayloads } from './post/large-payloads.js';
import { PlannedPosts } from './post/planned-posts.js';
import { PostChanges } from './post/post-changes.js';
import { UploadHolds, UploadLinks } from './post/upload-holds.js';
import { CancelPlannedPosts, PlannedCancellations, WithdrawPosts } from './post/withdraw-posts.js';
import { ChangeProject, CreateProject, DeleteProject } from './project.js';
import { ChangeVersions, RebuildProjection, RetryProjection, SkipEvent } from './projection.js';
import { CancelPublications, DismissDuplicate, DismissPublication, ResendPublication } from './publication.js';
import { ConfirmRecovery } from './recovery.js';
import { LogRequests } from './request-log.js';
import { SkipSagaEvent } from './saga.js';
import { CreateWebhookOutput, EnableWebhookOutput, RotateOutputSecret } from './webhook-output.js';

/**
 * The use cases, which the interfaces and the sagas call, and the parts that several of them share. One handler serves
 * all commands on the bus.
 */
export const USE_CASES: readonly Provider[] = [
  AcceptPost,
  AggregateCommandHandler,
  CancelPlannedPosts,
  CancelPublications,
  CappedCreation,
  ChangeChannel,
  ChangeEndpoint,
  ChangeOwner,
  ChangeProject,
  ChangeVersions,
  ConfirmRecovery,
  ConnectChannel,
  CreateEndpoint,
  CreateProject,
  CreateWebhookOutput,
  DeleteChannel,
  DeleteEndpoint,
  DeleteMedia,
  DeleteOwner,
  DeleteProject,
  Deletions,
  DisableEndpoint,
  DismissDuplicate,
  DismissPublication,
  EditPosts,
  EraseContent,
  EnableEndpoint,
  EnableWebhookOutput,
  KeyClaims,
  LargePayloads,
  LogRequests,
  OpenConsoleEndpoint,
  ManageKeys,
  PauseTargets,
  PingWebhookOutput,
  PlanAllowances,
  PlannedCancellations,
  PlannedCap,
  PlannedPosts,
  PlanWithdrawal,
  PostChanges,
  RebuildProjection,
  ResendPublication,
  ResumeTargets,
  RetryDeliveries,
  RetryProjection,
  RotateOutputSecret,
  RotateSigningSecret,
  ScheduleDelivery,
  SkipEvent,
  SkipSagaEvent,
  TempPause,
  TempResume,
  UploadMedia,
  UploadHolds,
  UploadLinks,
  WithdrawPosts,
];
