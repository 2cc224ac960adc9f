import { Module } from '@nestjs/common';
import { Inspector } from '../../media/inspector.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { Resources } from '../resources.js';

/** Inspection of media files, for acceptance and for publication. */
@Module({
  providers: [
    {
      provide: Inspector,
      inject: [PROCESS_OPTIONS, Resources],
      useFactory: async ({ log }: ProcessOptions, resources: Resources) => {
        const inspector = new Inspector({ log });
        await resources.add(() => inspector.close());
        return inspector;
      },
    },
  ],
  exports: [Inspector],
})
export class MediaModule {}
