import { message } from '../kernel/message.js';

/** Problems with the store of uploaded files, shown at start and at `/readyz`. */
export const FILE_STORE_MESSAGES = {
  noMark: message(
    'MEDIA_STORE is not the store of this gateway: {store} lacks the mark that the first process left there. Every process needs the same store: set MEDIA_STORE to it, or mount the folder. If its files are lost for good, delete the row media_store of the table ops_setting',
  ),
  otherMark: message(
    'MEDIA_STORE belongs to another gateway: {store} has the mark of another database. Use a store of its own. If this gateway replaces the other, delete the file crosspost-store in it',
  ),
  fileGone: 'the file is not in the store',
  archive: message('the file {file} of the archived history cannot be used: {reason}'),
  nearlyFull: message('{store} has only {free} MB left'),
  noAnswer: 'the store does not answer in time',
  noRange: 'the server ignores the header Range',
  unavailable: message('the store of uploaded files does not answer: {reason}'),
};
