/** The database can't be used as it is; `message` says in one sentence what to do. */
export class MigrationError extends Error {}
