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
  archiveLost: message(
    'files of archived history are missing or damaged ({count}), among them {file}: put them back from a backup of MEDIA_STORE; until then, what needs them is answered with 503',
  ),
  archiveUnknown: message(
    'the database does not know some files of archived history ({count}), among them {file}: it was restored to a moment before them. Restore a newer backup, or archive again, which gives events that the database still has the same files; what then remains is only in these files',
  ),
  nearlyFull: message('{store} has only {free} MB left'),
  noAnswer: 'the store does not answer in time',
  noRange: 'the server ignores the header Range',
  unavailable: message('the store of uploaded files does not answer: {reason}'),
};
