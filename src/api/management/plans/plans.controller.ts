import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { Documented } from '../../documentation/documented.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { buildPlansView, type PlansView } from './plan-limits.view.js';

/** Shows the current limits of all plans (management-api.md: Routes; D-15). */
@Controller('manage/v1/plans')
@UseGuards(ApiKeyGuard)
export class PlansController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Documented({ summary: "Show the plans' figures" })
  @Get()
  get(): PlansView {
    return buildPlansView(this.settings.limitsProfile);
  }
}
