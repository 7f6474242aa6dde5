/** The database can't be used as it is. `message` is one sentence for the operator that says what to do. */
export class MigrationError extends Error {}
