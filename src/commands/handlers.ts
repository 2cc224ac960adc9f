import type { Type } from '@nestjs/common';
import type { ICommand, ICommandHandler } from '@nestjs/cqrs';
import { AggregateCommandHandler } from './aggregate-command.js';
import { ChangeChannelHandler } from './channel/change-channel.js';
import { ConnectChannelHandler } from './channel/connect-channel.js';
import { DeleteChannelHandler } from './channel/delete-channel.js';
import { PingWebhookOutputHandler } from './delivery/ping-webhook-output.js';
import { RetryDeliveriesHandler } from './delivery/retry-deliveries.js';
import { CancelPlannedPostsHandler } from './endpoint/cancel-planned-posts.js';
import { ChangeEndpointHandler } from './endpoint/change-endpoint.js';
import { CreateEndpointHandler } from './endpoint/create-endpoint.js';
import { DeleteEndpointHandler } from './endpoint/delete-endpoint.js';
import { EnableEndpointHandler } from './endpoint/enable-endpoint.js';
import { RotateSigningSecretHandler } from './endpoint/rotate-signing-secret.js';
import { ChangeOwnerHandler } from './owner/change-owner.js';
import { DeleteOwnerHandler } from './owner/delete-owner.js';
import { PauseTargetsHandler } from './pause/pause-targets.js';
import { ResumeTargetsHandler } from './pause/resume-targets.js';
import { ChangeProjectHandler } from './project/change-project.js';
import { CreateProjectHandler } from './project/create-project.js';
import { DeleteProjectHandler } from './project/delete-project.js';
import { ChangeVersionsHandler } from './projection/change-versions.js';
import { RebuildProjectionHandler } from './projection/rebuild-projection.js';
import { RetryProjectionHandler } from './projection/retry-projection.js';
import { SkipEventHandler } from './projection/skip-event.js';
import { CancelPublicationsHandler } from './publication/cancel-publications.js';
import { DismissDuplicateHandler } from './publication/dismiss-duplicate.js';
import { DismissPublicationHandler } from './publication/dismiss-publication.js';
import { ResendPublicationHandler } from './publication/resend-publication.js';
import { ConfirmRecoveryHandler } from './recovery/confirm-recovery.js';
import { SkipSagaEventHandler } from './saga/skip-saga-event.js';
import { CreateWebhookOutputHandler } from './webhook-output/create-webhook-output.js';
import { EnableWebhookOutputHandler } from './webhook-output/enable-webhook-output.js';
import { RotateOutputSecretHandler } from './webhook-output/rotate-output-secret.js';

/** Handlers of the management API's commands. */
export const managementHandlers: readonly Type<ICommandHandler<ICommand>>[] = [
  AggregateCommandHandler,
  ChangeOwnerHandler,
  ConnectChannelHandler,
  ChangeChannelHandler,
  PauseTargetsHandler,
  ResumeTargetsHandler,
  CreateProjectHandler,
  ChangeProjectHandler,
  CreateEndpointHandler,
  ChangeEndpointHandler,
  EnableEndpointHandler,
  CancelPlannedPostsHandler,
  RotateSigningSecretHandler,
  ResendPublicationHandler,
  DismissDuplicateHandler,
  DismissPublicationHandler,
  CancelPublicationsHandler,
  DeleteOwnerHandler,
  DeleteChannelHandler,
  DeleteProjectHandler,
  DeleteEndpointHandler,
  CreateWebhookOutputHandler,
  EnableWebhookOutputHandler,
  RotateOutputSecretHandler,
  PingWebhookOutputHandler,
  RetryDeliveriesHandler,
  ChangeVersionsHandler,
  RebuildProjectionHandler,
  RetryProjectionHandler,
  SkipEventHandler,
  SkipSagaEventHandler,
  ConfirmRecoveryHandler,
];
