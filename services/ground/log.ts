/**
 * How services report what no one waits for: `message` is a whole sentence or clause for the person who reads the log, `details` its
 * values, among them `err`. The program that builds a service decides on the level, and where it goes.
 */
export type Log = (message: string, details: Record<string, unknown>) => void
