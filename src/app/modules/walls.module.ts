import { Module } from '@nestjs/common';
import { WallsController } from '../walls.controller.js';
import { PlatformsModule } from './platforms.module.js';

/** The walls of the stand-ins, in demo mode. */
@Module({ imports: [PlatformsModule], controllers: [WallsController] })
export class WallsModule {}
