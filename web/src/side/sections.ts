import { type ChangeGroup, type DiffKind, type GitFile } from '../core/files/repository.js'

/** The files that a chat has written, relative to the workspace. `isComplete`: it has certainly not written any others. */
export interface WrittenFiles { paths: ReadonlySet<string>, isComplete: boolean }

/** A part of the list of changes. `other`: as far as is known, not from this chat; `rest`: possibly from this chat too. */
export interface Section { key: 'conflicts' | 'staged' | 'chat' | 'other' | 'rest', kind: DiffKind, files: readonly GitFile[] }

/** Returns the changes, those from the chat before all others. Conflicts and staged changes have sections of their own. */
export function sectionsOf (groups: readonly ChangeGroup[], { paths, isComplete }: WrittenFiles): Section[] {
  const isFromChat = ({ workspace_path: path, old_path: old }: GitFile): boolean => paths.has(path) || (old !== null && paths.has(old))
  return groups.flatMap(({ key, kind, files }): Section[] => key !== 'changes'
    ? [{ key, kind, files }]
    : [
        { key: 'chat', kind, files: files.filter(isFromChat) },
        { key: isComplete ? 'other' : 'rest', kind, files: files.filter((file) => !isFromChat(file)) }
      ]).filter(({ files }) => files.length > 0)
}
