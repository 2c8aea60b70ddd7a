import { relative, resolve } from 'node:path'
import { realPath } from '../../ground/containment.js'
import { type Attachment, type FileReference, type Places } from '../../agent/protocol.js'

/**
 * An attachment by its place and its path there. One that lies in none of them is named, and that is all a run gets of it.
 *
 * @param before a folder whose files are in `attachments` as well, under the same names
 * @param isRemote the workspace is on another machine, which says itself where its links lead
 */
export function referenceTo (
  attachment: Attachment, places: Places, { before, isRemote = false }: { before?: string, isRemote?: boolean } = {}
): FileReference {
  const { path, ...rest } = attachment
  if (path === '') return { ...rest, place: null, path }
  const file = resolve(places.workspace, path)
  // A path of this machine may read like one of the other's workspace.
  const folders = Object.entries(places).sort(([one], [other]) =>
    isRemote ? Number(one === 'workspace') - Number(other === 'workspace') : 0)
  if (before !== undefined) folders.push(['attachments', before])
  for (const [place, folder] of folders) {
    for (const root of new Set([folder, isRemote && place === 'workspace' ? folder : follow(folder)])) {
      const below = relative(root, file)
      if (below !== '' && below.split('/')[0] !== '..') return { ...rest, place, path: below }
    }
  }
  return { ...rest, place: null, path }
}

/** Where a folder lies once symlinks are followed; itself when that cannot be told. */
function follow (folder: string): string {
  try {
    return realPath(folder)
  } catch {
    return folder
  }
}
