/**
 * Subjects of the messages between the service and the machines that have joined it. Each subject that a host uses has the host's name in
 * the same place, so that the server can keep other hosts from it.
 *
 * Names of hosts and profiles, and ids of runs, contain no dot, star or space: each is a single token.
 */
export function createSubjects (prefix: string) {
  return {
    /** For the processes of a profile: `start` and `control` as requests, `say` as messages. */
    to: (host: string, profile: string, way: 'start' | 'control' | 'say') => `${prefix}.to.${host}.${profile}.${way}`,
    allTo: (host: string) => `${prefix}.to.${host}.>`,
    /**
     * What a host says about a run, or (with `run` null) about a profile's process. The stream keeps it until the service has stored it.
     */
    from: (host: string, profile: string, run: string | null) => `${prefix}.from.${host}.${profile}.${run ?? 'host'}`,
    allFrom: (host: string, profile: string) => `${prefix}.from.${host}.${profile}.>`,
    everythingFrom: `${prefix}.from.>`,
    /** Requests to the machine itself: `http`, and small questions about its folders. */
    ask: (host: string, what: string) => `${prefix}.ask.${host}.${what}`,
    allAsked: (host: string) => `${prefix}.ask.${host}.>`,
    /** What a machine tells its listeners, without storage: changes in watched folders. */
    notice: (host: string, what: string) => `${prefix}.notice.${host}.${what}`,
    allNotices: (host: string) => `${prefix}.notice.${host}.>`,
    /** Name of the stream that keeps what hosts say about runs. */
    runs: `${prefix}-runs`,
    /** Name of the bucket in which each machine keeps a key with its own name while it is there. */
    presence: `${prefix}-hosts`,
    /** Name of the bucket for large objects on their way to or from a host. */
    objects: (host: string) => `${prefix}-objects-${host}`
  }
}

export type Subjects = ReturnType<typeof createSubjects>
