import { Injectable, type PipeTransform } from '@nestjs/common';
import { notFoundProblem } from './http-problems.js';

/** Pattern for public ids; broader than D-2 requires. */
export const ID_PATTERN = /^\w{1,64}$/;

/** Rejects URL parameters that cannot be public ids before they reach the database. */
@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!ID_PATTERN.test(id)) throw notFoundProblem('resource');
    return id;
  }
}
