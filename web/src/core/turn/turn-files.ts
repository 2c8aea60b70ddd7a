import { type GitFile, type GitStatus } from '../files/repository.js'
import { type Part } from './turn.js'

const changing: ReadonlySet<string> = new Set(['write_file', 'edit_file'])

/** The files that a turn has written with its tools, below the workspace, each once. What its commands have written nobody knows. */
export function filesWritten (parts: readonly Part[], workspace: string): string[] {
  const paths = parts.flatMap((part) =>
    part.kind === 'call' && part.state === 'done' && changing.has(part.name) && typeof part.args.path === 'string' ? [part.args.path] : [])
  return [...new Set(paths.flatMap((path) => below(path, workspace) ?? []))]
}

/** Which of these files differ from the last commit. */
export function filesToCommit (status: Pick<GitStatus, 'files'> | null, paths: readonly string[]): GitFile[] {
  const wanted = new Set(paths)
  return status?.files.filter(({ workspace_path: path, old_path: old }) => wanted.has(path) || (old !== null && wanted.has(old))) ?? []
}

/** A path as seen from a folder that holds it; null for what lies elsewhere. */
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
