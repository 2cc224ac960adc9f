import type { Type } from '@nestjs/common';
import type { ICommand, ICommandHandler } from '@nestjs/cqrs';
import { AddPostPackHandler } from './add-post-pack.js';
import { ChangeChannelHandler } from './change-channel.js';
import { ChangeEndpointHandler } from './change-endpoint.js';
import { ChangeOwnerHandler } from './change-owner.js';
import { ChangeProjectHandler } from './change-project.js';
import { ConnectChannelHandler } from './connect-channel.js';
import { CreateEndpointHandler } from './create-endpoint.js';
import { CreateProjectHandler } from './create-project.js';
import { DeactivateEndpointHandler } from './deactivate-endpoint.js';
import { DismissPublicationHandler } from './dismiss-publication.js';
import { EnableEndpointHandler } from './enable-endpoint.js';
import { PauseTargetsHandler } from './pause-targets.js';
import { RegisterOwnerHandler } from './register-owner.js';
import { ResendPublicationHandler } from './resend-publication.js';
import { ResumeTargetsHandler } from './resume-targets.js';
import { RotateEndpointSlugHandler } from './rotate-endpoint-slug.js';
import { RotateEndpointTokenHandler } from './rotate-endpoint-token.js';
import { RotateOwnerKeyHandler } from './rotate-owner-key.js';
import { RotateSigningSecretHandler } from './rotate-signing-secret.js';

/** The handlers of everything that is managed. */
export const managementHandlers: readonly Type<ICommandHandler<ICommand>>[] = [
  RegisterOwnerHandler,
  ChangeOwnerHandler,
  AddPostPackHandler,
  RotateOwnerKeyHandler,
  ConnectChannelHandler,
  ChangeChannelHandler,
  PauseTargetsHandler,
  ResumeTargetsHandler,
  CreateProjectHandler,
  ChangeProjectHandler,
  CreateEndpointHandler,
  ChangeEndpointHandler,
  EnableEndpointHandler,
  DeactivateEndpointHandler,
  RotateEndpointTokenHandler,
  RotateEndpointSlugHandler,
  RotateSigningSecretHandler,
  ResendPublicationHandler,
  DismissPublicationHandler,
];
