/** A workspace's machine and path. `machine` is null for the one on which the service runs. */
export interface Location { machine: string | null, path: string }

const remote = /^([a-z0-9][a-z0-9-]{0,30}[a-z0-9]):(\/.*)$/s

/** Parses a workspace: `big:/data/project` is on the machine `big`; any other path is on the service's machine. */
export function locate (workspace: string): Location {
  const [, machine = null, path = workspace] = remote.exec(workspace) ?? []
  return { machine, path }
}

/** Returns the other machine that a workspace is on; null for none. */
export const machineOf = (workspace: string): string | null => locate(workspace).machine

/** Returns a workspace's path on its own machine: the agent works there and names files by it. */
export const pathThere = (workspace: string): string => locate(workspace).path

/** Returns the last part of a path, which is what people call a folder. */
export function folderName (workspace: string): string {
  const path = pathThere(workspace)
  return path.split(/[\\/]/).filter((part) => part !== '').at(-1) ?? path
}
