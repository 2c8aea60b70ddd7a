import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** From these variables git takes the author and the committer, before any setting. */
export const authorVariables = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'] as const

/** Returns those of the named variables that are set. Pure. */
export function pickVariables (environment: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => environment[name] === undefined ? [] : [[name, environment[name]]]))
}

/** Returns a PATH without relative entries, which would find programs in the working folder. Pure. */
export function searchPath (path = ''): string {
  const places = path.split(delimiter).filter(isAbsolute)
  return places.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : places.join(delimiter)
}

/** Whether one of the folders of a PATH has a program of this name. */
export async function isProgram (name: string, path: string): Promise<boolean> {
  for (const folder of path.split(delimiter)) {
    if (await access(join(folder, name), constants.X_OK).then(() => true, () => false)) return true
  }
  return false
}
