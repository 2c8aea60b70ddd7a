import { relative } from 'node:path'
import { projectContexts } from './project-context.js'
import { pendingRules } from './sandbox/rules-change.js'

/** What a turn is told about the rules of its workspace. Plain JSON, because the workspace may be on another machine. */
export interface WorkspaceRules {
  /** Null if there are none. */
  text: string | null
  /** Their path, relative to the workspace; null if it is not mentioned. */
  from: string | null
  /** Set if a confined command has changed them: `text` is the old text, and `accepted` the new one. */
  changed?: { records: string[], diff: string, accepted: string | null }
}

/**
 * Returns the rules of a workspace on this machine. If a confined command has changed them, the old ones apply until a person has accepted
 * the change.
 *
 * @param boundaryFolder folder with the records of what commands have changed in workspaces
 */
export function workspaceRules (boundaryFolder: string, workspace: string): WorkspaceRules {
  // Records are read before the file: a change after that is recorded before it can be read from the file.
  const pending = pendingRules(boundaryFolder, workspace)
  if (pending !== null) {
    const { records, diff, before, after } = pending
    return { text: before, from: null, changed: { records, diff, accepted: after } }
  }
  const { inForce } = projectContexts(workspace)
  return inForce === null ? { text: null, from: null } : { text: inForce.text, from: relative(workspace, inForce.path) }
}
