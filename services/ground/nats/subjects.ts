/**
 * Subjects of the messages between the service and the machines that have joined it. Each subject that a machine uses has its name in the
 * same place, so that the server can keep other machines from it.
 *
 * Names of machines and profiles, and ids of runs, contain no dot, star or space: each is a single token.
 */
export function createSubjects (prefix: string) {
  return {
    /** For the processes of a profile: `start` and `control` as requests, `say` as messages. */
    to: (machine: string, profile: string, way: 'start' | 'control' | 'say') => `${prefix}.to.${machine}.${profile}.${way}`,
    allTo: (machine: string) => `${prefix}.to.${machine}.>`,
    /**
     * What a machine says about a run, or (with `run` null) about a profile's process. The stream keeps it until the service has stored it.
     */
    from: (machine: string, profile: string, run: string | null) => `${prefix}.from.${machine}.${profile}.${run ?? 'host'}`,
    allFrom: (machine: string, profile: string) => `${prefix}.from.${machine}.${profile}.>`,
    everythingFrom: `${prefix}.from.>`,
    /** Requests to the machine itself: `http`, and small questions about its folders. */
    ask: (machine: string, what: string) => `${prefix}.ask.${machine}.${what}`,
    allAsked: (machine: string) => `${prefix}.ask.${machine}.>`,
    /** What a machine tells its listeners, without storage: changes in watched folders. */
    notice: (machine: string, what: string) => `${prefix}.notice.${machine}.${what}`,
    allNotices: (machine: string) => `${prefix}.notice.${machine}.>`,
    /** Name of the stream that keeps what machines say about runs. */
    runs: `${prefix}-runs`,
    /** Name of the bucket in which each machine keeps a key with its own name while it is there. */
    presence: `${prefix}-hosts`,
    /** Name of the bucket for large objects on their way to or from a machine. */
    objects: (machine: string) => `${prefix}-objects-${machine}`
  }
}

export type Subjects = ReturnType<typeof createSubjects>
