/** Trying again would not help: the email is marked failed. */
export class PermanentDeliveryError extends Error {}
