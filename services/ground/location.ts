/** A folder of a machine that has joined this service. */
export interface RemoteFolder { host: string, path: string }

/** Two characters at least, so that a drive letter is none. */
const hostName = /^[a-z0-9][a-z0-9-]{0,30}[a-z0-9]$/
const remote = /^([a-z0-9][a-z0-9-]{0,30}[a-z0-9]):(\/.*)$/s

/** Whether a machine may be called this: 2 to 32 small letters, digits and hyphens, with none of the latter at its ends. */
export const isHostName = (name: string): boolean => hostName.test(name)

/**
 * Where a workspace lies. Written as `scp` does it: `big:/data/project` is a folder of the machine `big`, and everything else is
 * on this machine, for which this is null.
 */
export function remoteFolder (workspace: string): RemoteFolder | null {
  const [, host, path] = remote.exec(workspace) ?? []
  return host === undefined || path === undefined ? null : { host, path }
}

/** The machine of a workspace as answers name it, beside the workspace; nothing for a folder of this machine. */
export function hostField (workspace: string): { host?: string } {
  const remote = remoteFolder(workspace)
  return remote === null ? {} : { host: remote.host }
}

/** How a folder of another machine is written wherever a workspace is named. */
export const remoteName = ({ host, path }: RemoteFolder): string => `${host}:${path}`
