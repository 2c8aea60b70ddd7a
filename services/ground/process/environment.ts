import { delimiter, isAbsolute } from 'node:path'

/** A PATH without relative entries, which would look for programs in the folder that is worked in. Pure. */
export function searchPath (path = ''): string {
  const places = path.split(delimiter).filter(isAbsolute)
  return places.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : places.join(delimiter)
}
