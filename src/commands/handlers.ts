import type { Type } from '@nestjs/common';
import type { ICommand, ICommandHandler } from '@nestjs/cqrs';
import { AddPostPackHandler } from './owner/add-post-pack.js';
import { CancelPublicationsHandler } from './publication/cancel-publications.js';
import { ChangeChannelHandler } from './channel/change-channel.js';
import { ChangeEndpointHandler } from './endpoint/change-endpoint.js';
import { ChangeOwnerHandler } from './owner/change-owner.js';
import { ChangeProjectHandler } from './project/change-project.js';
import { ConnectChannelHandler } from './channel/connect-channel.js';
import { RetryChannelHandler } from './channel/retry-channel.js';
import { CreateEndpointHandler } from './endpoint/create-endpoint.js';
import { CreateProjectHandler } from './project/create-project.js';
import { DeleteChannelHandler } from './channel/delete-channel.js';
import { DeleteEndpointHandler } from './endpoint/delete-endpoint.js';
import { DeleteOwnerHandler } from './owner/delete-owner.js';
import { DeleteProjectHandler } from './project/delete-project.js';
import { DisableEndpointByOwnerHandler } from './endpoint/disable-endpoint-by-owner.js';
import { DismissPublicationHandler } from './publication/dismiss-publication.js';
import { EnableEndpointHandler } from './endpoint/enable-endpoint.js';
import { PauseTargetsHandler } from './pause/pause-targets.js';
import { RegisterOwnerHandler } from './owner/register-owner.js';
import { ResendPublicationHandler } from './publication/resend-publication.js';
import { ResumeTargetsHandler } from './pause/resume-targets.js';
import { RotateEndpointSlugHandler } from './endpoint/rotate-endpoint-slug.js';
import { RotateEndpointTokenHandler } from './endpoint/rotate-endpoint-token.js';
import { RotateOwnerKeyHandler } from './owner/rotate-owner-key.js';
import { RotateSigningSecretHandler } from './endpoint/rotate-signing-secret.js';

/** Handlers of the management API's commands. */
export const managementHandlers: readonly Type<ICommandHandler<ICommand>>[] = [
  RegisterOwnerHandler,
  ChangeOwnerHandler,
  AddPostPackHandler,
  RotateOwnerKeyHandler,
  ConnectChannelHandler,
  ChangeChannelHandler,
  RetryChannelHandler,
  PauseTargetsHandler,
  ResumeTargetsHandler,
  CreateProjectHandler,
  ChangeProjectHandler,
  CreateEndpointHandler,
  ChangeEndpointHandler,
  EnableEndpointHandler,
  DisableEndpointByOwnerHandler,
  RotateEndpointTokenHandler,
  RotateEndpointSlugHandler,
  RotateSigningSecretHandler,
  ResendPublicationHandler,
  DismissPublicationHandler,
  CancelPublicationsHandler,
  DeleteOwnerHandler,
  DeleteChannelHandler,
  DeleteProjectHandler,
  DeleteEndpointHandler,
];
