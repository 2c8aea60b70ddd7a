import { type GitFile, type GitStatus } from '../files/repository.js'
import { type Part, type Turn } from './turn.js'

const changing: ReadonlySet<string> = new Set(['write_file', 'edit_file'])
/** Tools that never write to the folder. */
const reading: ReadonlySet<string> = new Set([
  'read_file', 'search_files', 'list_files', 'session_search', 'web_fetch', 'todo', 'clarify', 'memory', 'schedule', 'schedule_list',
  'skill_view', 'skill_save'
])

/**
 * Returns the files that a turn has written with its tools, relative to the workspace, without duplicates. Files written by its commands
 * are unknown.
 */
export function filesWritten (parts: readonly Part[], workspace: string): string[] {
  const paths = parts.flatMap((part) =>
    part.kind === 'call' && part.state === 'done' && changing.has(part.name) && typeof part.args.path === 'string' ? [part.args.path] : [])
  return [...new Set(paths.flatMap((path) => below(path, workspace) ?? []))]
}

/** Returns whether a turn may have written files that no tool call names: by commands, or before the loaded part of it. */
export const mayHaveWrittenMore = ({ parts, isCut }: Pick<Turn, 'parts' | 'isCut'>): boolean =>
  isCut || parts.some((part) => part.kind === 'call' && !changing.has(part.name) && !reading.has(part.name))

/** Returns which of these files differ from the last commit. */
export function filesToCommit (status: Pick<GitStatus, 'files'> | null, paths: readonly string[]): GitFile[] {
  const wanted = new Set(paths)
  return status?.files.filter(({ workspace_path: path, old_path: old }) => wanted.has(path) || (old !== null && wanted.has(old))) ?? []
}

/** Returns a path relative to a folder; null if the folder does not contain it. */
export function below (path: string, folder: string): string | null {
  const isAbsolute = path.startsWith('/')
  if (isAbsolute && !path.startsWith(`${folder}/`)) return null
  const steps: string[] = []
  for (const step of (isAbsolute ? path.slice(folder.length + 1) : path).split('/')) {
    if (step === '' || step === '.') continue
    if (step !== '..') steps.push(step)
    else if (steps.pop() === undefined) return null
  }
  return steps.length === 0 ? null : steps.join('/')
}
