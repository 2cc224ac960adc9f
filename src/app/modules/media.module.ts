import { Module } from '@nestjs/common';
import { HelperCheck } from '../../media/helper-check.js';
import { Inspector } from '../../media/inspector.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { Resources } from '../resources.js';

/** Inspects media files in helper processes, before their posts are accepted and before they are published. */
@Module({
  providers: [
    {
      provide: Inspector,
      inject: [PROCESS_OPTIONS, Resources],
      useFactory: async ({ log, overrides }: ProcessOptions, resources: Resources) => {
        const timeoutMs = overrides?.inspectionTimeoutMs;
        const inspector = new Inspector({ log, ...(timeoutMs !== undefined && { timeoutMs }) });
        await resources.add(() => inspector.close());
        return inspector;
      },
    },
    {
      provide: HelperCheck,
      inject: [PROCESS_OPTIONS, Resources],
      useFactory: async ({ log }: ProcessOptions, resources: Resources) => {
        const check = new HelperCheck(log);
        await resources.add(async () => check.close());
        return check;
      },
    },
  ],
  exports: [Inspector, HelperCheck],
})
export class MediaModule {}
