import { Module } from '@nestjs/common';
import { OneTimeCode } from '../../api/management/sign-in/one-time-code.js';
import { SignInController } from '../../api/management/sign-in/sign-in.controller.js';
import { ManagementApiModule } from './management-api.module.js';

/** Sign-in with the link that is printed at startup, in demo mode. */
@Module({
  imports: [ManagementApiModule],
  controllers: [SignInController],
  providers: [{ provide: OneTimeCode, useFactory: () => new OneTimeCode() }],
})
export class SignInModule {}
