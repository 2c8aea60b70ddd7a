import { type ChangeGroup, type DiffKind, type GitFile } from '../core/files/repository.js'

/** The files that a chat has written, relative to the workspace. `isComplete`: it has certainly written no others. */
export interface Written { paths: ReadonlySet<string>, isComplete: boolean }

/** A part of the list of changes. `other`: not from this chat, as far as that is known; `rest`: it may be from this chat as well. */
export interface Section { key: 'conflicts' | 'staged' | 'chat' | 'other' | 'rest', kind: DiffKind, files: readonly GitFile[] }

/** Returns the changes, those from the chat before all others. Conflicts and what is staged stand by themselves. */
export function sectionsOf (groups: readonly ChangeGroup[], { paths, isComplete }: Written): Section[] {
  const isFromChat = ({ workspace_path: path, old_path: old }: GitFile): boolean => paths.has(path) || (old !== null && paths.has(old))
  return groups.flatMap(({ key, kind, files }): Section[] => key !== 'changes'
    ? [{ key, kind, files }]
    : [
        { key: 'chat', kind, files: files.filter(isFromChat) },
        { key: isComplete ? 'other' : 'rest', kind, files: files.filter((file) => !isFromChat(file)) }
      ]).filter(({ files }) => files.length > 0)
}
