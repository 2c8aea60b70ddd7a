/** Where a workspace lies. `machine` is null for the one on which the service itself runs. */
export interface Location { machine: string | null, path: string }

const remote = /^([a-z0-9][a-z0-9-]{0,30}[a-z0-9]):(\/.*)$/s

/** `big:/data/project` is a folder of the machine `big`; everything else is a path where the service runs. */
export function locate (workspace: string): Location {
  const [, machine = null, path = workspace] = remote.exec(workspace) ?? []
  return { machine, path }
}

/** The other machine that a workspace is on. */
export const machineOf = (workspace: string): string | null => locate(workspace).machine

/** Its path as programs have it on the machine where it is: the agent works there, and names files by it. */
export const pathThere = (workspace: string): string => locate(workspace).path

/** The last part of a path, which is what people call a folder. */
export function folderName (workspace: string): string {
  const path = pathThere(workspace)
  return path.split(/[\\/]/).filter((part) => part !== '').at(-1) ?? path
}
