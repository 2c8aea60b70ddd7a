import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** A PATH without relative entries, which would look for programs in the folder that is worked in. Pure. */
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
