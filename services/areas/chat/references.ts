import { relative, resolve } from 'node:path'
import { realPath } from '../../ground/files/containment.js'
import { type Attachment, type FileReference, type Places } from '../../agent/protocol.js'

/**
 * Returns a reference to an attachment: its place, and its path in there. Of a file outside of all places, a run gets only the name.
 *
 * @param before a folder whose files are also in `attachments`, under the same names
 * @param isRemote whether the workspace is on another machine, which follows its links itself
 */
export function referenceTo (
  attachment: Attachment, places: Places, { before, isRemote = false }: { before?: string, isRemote?: boolean } = {}
): FileReference {
  const { path, ...rest } = attachment
  if (path === '') return { ...rest, place: null, path }
  const file = resolve(places.workspace, path)
  // A path of this machine may look like one in the other machine's workspace.
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

/** Returns a folder's path with symlinks resolved; the path itself if that fails. */
function follow (folder: string): string {
  try {
    return realPath(folder)
  } catch {
    return folder
  }
}
