import { Module } from '@nestjs/common';
import { Metrics } from '../../health/metrics.js';

/** Metrics of the process. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
