/**
 * What is said where between the service and the machines that have joined it. Each subject that a host uses has the host's
 * name at the same place, so that the server can keep it from all others.
 *
 * Names of hosts and profiles, and ids of runs, hold no dot, star or blank: they are one token each.
 */
export function createSubjects (prefix: string) {
  return {
    /** Handed to the processes of a profile: `start` and `control` as requests, `say` as messages. */
    to: (host: string, profile: string, way: 'start' | 'control' | 'say') => `${prefix}.to.${host}.${profile}.${way}`,
    allTo: (host: string) => `${prefix}.to.${host}.>`,
    /** What a host says of a run, or (`run` null) of a profile's process; kept by the stream until the service has stored it. */
    from: (host: string, profile: string, run: string | null) => `${prefix}.from.${host}.${profile}.${run ?? 'host'}`,
    allFrom: (host: string, profile: string) => `${prefix}.from.${host}.${profile}.>`,
    everythingFrom: `${prefix}.from.>`,
    /** Asked of a machine itself, as requests: `http` and small things about its folders. */
    ask: (host: string, what: string) => `${prefix}.ask.${host}.${what}`,
    allAsked: (host: string) => `${prefix}.ask.${host}.>`,
    /** Told by a machine to whoever listens, and kept by nobody: changes in watched folders. */
    notice: (host: string, what: string) => `${prefix}.notice.${host}.${what}`,
    allNotices: (host: string) => `${prefix}.notice.${host}.>`,
    /** Name of the stream that keeps what hosts say of runs. */
    runs: `${prefix}-runs`,
    /** Name of the bucket in which each machine holds a key of its own name for as long as it is there. */
    presence: `${prefix}-hosts`,
    /** Name of the bucket of large things on their way to or from a host. */
    objects: (host: string) => `${prefix}-objects-${host}`
  }
}

export type Subjects = ReturnType<typeof createSubjects>
