/** The history cannot be imported here: the store is not empty, or lines are missing. */
export class ImportRefused extends Error {}
