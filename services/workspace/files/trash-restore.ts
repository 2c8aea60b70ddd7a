import { join } from 'node:path'
import { Conflict, Forbidden } from '../../ground/errors.js'
import { withSuffix } from '../place/names.js'
import { atSpot, folderAt, holdsClosed, type Territory } from '../place/place.js'
import { ensureFolder, refuseOwn } from './entries.js'
import { takeOut, type OpenTrash } from './trash-folder.js'

const mostNames = 100

/**
 * Restores the entry in the folder `id` of the trash to `path` or, with `folder`, under the same name into that folder. If the name is
 * taken, it gets another one. Returns its new path. Throws NotFound, Forbidden, Conflict.
 */
export async function restoreFrom (
  trash: OpenTrash, territory: Territory, { id, path, folder }: { id: string, path: string, folder: string | null }
): Promise<string> {
  const cut = path.lastIndexOf('/')
  const name = path.slice(cut + 1)
  if (folder !== null) return await restoreAt(trash, territory, id, join((await folderAt(territory, folder)).path, name))
  if (cut !== -1) await ensureFolder(territory, path.slice(0, cut), name)
  return await restoreAt(trash, territory, id, path)
}

async function restoreAt (trash: OpenTrash, territory: Territory, id: string, path: string): Promise<string> {
  const cut = path.lastIndexOf('/') + 1
  for (let n = 0; n < mostNames; n++) {
    const name = n === 0 ? path.slice(cut) : withSuffix(path.slice(cut), n === 1 ? ' (restored)' : ` (restored ${n})`)
    try {
      return await atSpot(territory, `${path.slice(0, cut)}${name}`, async (spot) => {
        refuseOwn(spot.path)
        if (holdsClosed(territory, spot.real)) throw new Forbidden('That folder contains files of the service')
        await takeOut(trash, id, spot)
        return spot.path
      })
    } catch (error) {
      if (!(error instanceof Conflict) || error.code !== 'exists') throw error
    }
  }
  throw new Conflict('Too many files have this name', 'exists')
}
