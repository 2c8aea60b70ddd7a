/** A folder of another machine that has joined this service. */
export interface RemoteFolder { machine: string, path: string }

/** At least two characters, so that a drive letter is not a machine. */
const machineName = /^[a-z0-9][a-z0-9-]{0,30}[a-z0-9]$/
const remote = /^([a-z0-9][a-z0-9-]{0,30}[a-z0-9]):(\/.*)$/s

/** Whether a machine may have this name: 2 to 32 small letters, digits and hyphens, without a hyphen at either end. */
export const isMachineName = (name: string): boolean => machineName.test(name)

/**
 * Returns the machine and folder of a workspace that is written as `scp` does it: `big:/data/project` is a folder of the machine `big`.
 * Returns null for everything else, which is on this machine.
 */
export function remoteFolder (workspace: string): RemoteFolder | null {
  const [, machine, path] = remote.exec(workspace) ?? []
  return machine === undefined || path === undefined ? null : { machine, path }
}

/**
 * Returns the machine of a workspace as a field of answers and messages, which call it `host`, beside the workspace; no field for a folder
 * of this machine.
 */
export function hostOnWire (workspace: string): { host?: string } {
  const remote = remoteFolder(workspace)
  return remote === null ? {} : { host: remote.machine }
}

/** Returns how a folder of another machine is written wherever a workspace is named. */
export const remoteName = ({ machine, path }: RemoteFolder): string => `${machine}:${path}`
