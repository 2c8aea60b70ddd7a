/** Thrown if the default workspace cannot be used, so that the service does not start. The message says why, and what to do. */
export class UnusableWorkspace extends Error {}
