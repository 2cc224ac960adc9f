import type { Type } from '@nestjs/common';
import type { ICommand, ICommandHandler } from '@nestjs/cqrs';
import { ChangeChannelHandler, ConnectChannelHandler, DeleteChannelHandler } from './channel.js';
import { AggregateCommandHandler } from './command.js';
import { PingWebhookOutputHandler, RetryDeliveriesHandler } from './delivery.js';
import {
  ChangeEndpointHandler,
  CreateEndpointHandler,
  DeleteEndpointHandler,
  EnableEndpointHandler,
  RotateSigningSecretHandler,
} from './endpoint.js';
import { ChangeOwnerHandler, DeleteOwnerHandler } from './owner.js';
import { PauseTargetsHandler, ResumeTargetsHandler } from './pause.js';
import { CancelPlannedPostsHandler } from './post/planned-cancellations.js';
import { ChangeProjectHandler, CreateProjectHandler, DeleteProjectHandler } from './project.js';
import {
  ChangeVersionsHandler,
  RebuildProjectionHandler,
  RetryProjectionHandler,
  SkipEventHandler,
} from './projection.js';
import {
  CancelPublicationsHandler,
  DismissDuplicateHandler,
  DismissPublicationHandler,
  ResendPublicationHandler,
} from './publication.js';
import { ConfirmRecoveryHandler } from './recovery.js';
import { SkipSagaEventHandler } from './saga.js';
import { CreateWebhookOutputHandler, EnableWebhookOutputHandler, RotateOutputSecretHandler } from './webhook-output.js';

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
