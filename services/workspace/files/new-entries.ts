import { lstat } from 'node:fs/promises'
import { Invalid } from '../../ground/errors.js'
import { type Spot, type Territory } from '../place/place.js'
import { ensureFolder } from './entries.js'

/** Creates the folders above a path if they are missing. */
export async function ensureParent ({ root, ...territory }: Territory, path: string): Promise<void> {
  const relative = path.startsWith(`${root}/`) ? path.slice(root.length) : path
  const parts = relative.split('/').filter((part) => part !== '' && part !== '.')
  // In folders that do not exist yet, `..` cannot be resolved. Paths outside of the territory are refused later.
  if (parts.includes('..') || (relative === path && path.startsWith('/'))) return
  const name = parts.pop()
  if (name !== undefined && parts.length > 0) await ensureFolder({ root, ...territory }, parts.join('/'), name)
}

/** Throws Invalid (`exists`) if the name is taken. */
export async function refuseTaken ({ at, name }: Spot): Promise<never | void> {
  const there = await lstat(at).catch(() => null)
  if (there !== null) throw new Invalid(`${name} already exists`, 'exists')
}
