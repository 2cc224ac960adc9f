import { Module } from '@nestjs/common';
import { ConsoleController } from '../../api/console/console.controller.js';
import { BUILT_CONSOLE, CONSOLE_FOLDER, ConsoleFiles } from '../../api/console/console-files.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';

/** The web console, /console. */
@Module({
  controllers: [ConsoleController],
  providers: [
    ConsoleFiles,
    {
      provide: CONSOLE_FOLDER,
      inject: [PROCESS_OPTIONS],
      useFactory: ({ overrides }: ProcessOptions) => overrides?.consoleFolder ?? BUILT_CONSOLE,
    },
  ],
  exports: [ConsoleFiles],
})
export class ConsoleModule {}
