import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asset } from '../../services/ground/assets.js'

/** The folder of the build that a `dist` begins with; that of this project when none is named. */
export function builtFolder (dist = asset('dist')): string {
  const [, entry] = /require\("(.+)"\)/.exec(readFileSync(join(dist, 'server.js'), 'utf8'))!
  return dirname(join(dist, entry!))
}
