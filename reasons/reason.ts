/** The parameters of a reason: file names, hosts, programs, numbers. */
export type Params = Readonly<Record<string, string | number>>
/** For texts that have a list, and no parameters. */
export type None = Readonly<Record<never, never>>
export type Program = Readonly<{ program: string }>
