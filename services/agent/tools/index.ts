import { type SandboxStatus } from '../sandbox/index.js'
import { createClarify } from './clarify.js'
import { createDelegate } from './delegate.js'
import { createEditFile } from './edit-file.js'
import { createListFiles } from './list-files.js'
import { createMemory } from './memory.js'
import { createReadFile } from './read-file.js'
import { createSearchFiles } from './search-files.js'
import { createSessionSearch } from './session-search.js'
import { createScheduleChange, createScheduleList } from './schedules.js'
import { createTerminal } from './terminal.js'
import { createSkillSave, createSkillView } from './skills.js'
import { createTodo } from './todo.js'
import { type Tool } from './tool.js'
import { createWebFetch, type FetchOptions } from './web-fetch.js'
import { createWriteFile } from './write-file.js'
import { createWritePlan } from './write-plan.js'

export { ToolError } from './containment.js'
export { memoryAccess } from './memory.js'
export { scheduleAccess } from './schedules.js'
export { skillAccess } from './skills.js'
export { type StoredDocuments, type Sample, type Sampled, type Tool, type ToolContext, type ToolImage, type ToolResult } from './tool.js'

export interface ToolsOptions {
  /** The shell of the terminal tool; default: bash, or sh if there is no bash. */
  shell?: string
  /** The sandbox that findSandbox has found; default: none. */
  sandbox?: SandboxStatus
  /** The ripgrep program; default: the packaged one, or else `rg` on PATH; null = search without it. */
  ripgrep?: string | null
  fetch?: FetchOptions
}

/** Creates the built-in tools. They have no state: one list serves all runs of a process. */
export function createTools ({ shell, sandbox, ripgrep, fetch }: ToolsOptions = {}): Tool[] {
  return [
    createTerminal(shell, sandbox),
    createReadFile(),
    createWriteFile(),
    createEditFile(),
    createListFiles(),
    createSearchFiles(ripgrep),
    createWebFetch(fetch),
    createTodo(),
    createClarify(),
    createDelegate(),
    createMemory(),
    createSessionSearch(),
    createSkillView(),
    createSkillSave(),
    createScheduleList(),
    createScheduleChange(),
    createWritePlan()
  ]
}
