/** Settings in the environment are wrong. `message` has one line for each of them. */
export class ConfigError extends Error {}
