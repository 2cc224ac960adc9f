import { Injectable, type PipeTransform } from '@nestjs/common';
import { notFound } from './refusals.js';

/** What every public id looks like (D-2), and then some. */
const FORM = /^\w{1,64}$/;

/** Lets ids of the URL through; what cannot be one names nothing, and never reaches the database. */
@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!FORM.test(id)) throw notFound('thing');
    return id;
  }
}

/** {@link FORM}, for ids in the query of a URL. */
export const ID_FORM = FORM;
