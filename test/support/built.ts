import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asset } from '../../services/ground/assets.js'

/** Returns the folder of the build that a `dist` loads; by default this project's. */
export function builtFolder (dist = asset('dist')): string {
  const [, entry] = /require\("(.+)"\)/.exec(readFileSync(join(dist, 'server.js'), 'utf8'))!
  return dirname(join(dist, entry!))
}
