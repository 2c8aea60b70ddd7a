import { relative } from 'node:path'
import { projectContexts } from './project-context.js'
import { pendingRules } from './sandbox/rules-change.js'

/** What a turn is told of the rules that its workspace brings along, as plain JSON: the workspace may be on another machine. */
export interface WorkspaceRules {
  /** Null: there are none. */
  text: string | null
  /** Where they stand, relative to the workspace; null when that is not to be said. */
  from: string | null
  /** A confined command has changed them: `text` is that of before, and `accepted` that of now. */
  changed?: { records: string[], diff: string, accepted: string | null }
}

/**
 * The rules of a workspace of this machine. Those that a confined command has changed count as they were before, until a person has
 * accepted the change.
 *
 * @param boundaryFolder where it is kept what commands have changed in workspaces
 */
export function workspaceRules (boundaryFolder: string, workspace: string): WorkspaceRules {
  // Before the file is read: what is changed from now on is on record before it can be read.
  const pending = pendingRules(boundaryFolder, workspace)
  if (pending !== null) {
    const { records, diff, before, after } = pending
    return { text: before, from: null, changed: { records, diff, accepted: after } }
  }
  const { inForce } = projectContexts(workspace)
  return inForce === null ? { text: null, from: null } : { text: inForce.text, from: relative(workspace, inForce.path) }
}
