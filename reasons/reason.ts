/** The parameters of a reason: file names, hosts, programs, numbers. */
export type Params = Readonly<Record<string, string | number>>
/** The parameters of a text that has only a list. */
export type None = Readonly<Record<never, never>>
export type Program = Readonly<{ program: string }>
