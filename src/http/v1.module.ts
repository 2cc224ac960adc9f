import type { Provider, Type } from '@nestjs/common';
import { TempPauseHandler } from '../commands/temp-pause.js';
import { TempResumeHandler } from '../commands/temp-resume.js';
import { FindEndpointTargetsHandler } from '../projections/discovery/endpoint-targets.queries.js';
import { CountRescheduledHandler } from '../projections/publish-schedule/rescheduled.queries.js';
import { InfoController } from './info.controller.js';
import { PausesController } from './pauses.controller.js';

/** Pausing, discovery and the sandbox: what the composition root takes in beside publishing. */
export const v1: { readonly controllers: readonly Type[]; readonly providers: readonly Provider[] } = {
  controllers: [PausesController, InfoController],
  providers: [TempPauseHandler, TempResumeHandler, CountRescheduledHandler, FindEndpointTargetsHandler],
};
