import { delimiter, dirname } from 'node:path'
import { type SandboxStatus } from '../../services/agent/sandbox/index.js'
import { createTools, type ToolContext, type ToolResult } from '../../services/agent/tools/index.js'
import { toolContext } from './tool-context.js'

/** Returns a function that runs commands in the sandbox like the terminal tool, in a workspace whose path contains no symlinks. */
export function confinedRun (sandbox: SandboxStatus, workspace: string): (command: string, changes?: Partial<ToolContext>) => Promise<ToolResult> {
  const terminal = createTools({ sandbox }).find(({ name }) => name === 'terminal')
  if (terminal === undefined) throw new Error('there is no terminal')
  const context = toolContext(workspace, { childEnv: { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`, HOME: '/nowhere', LANG: 'C.UTF-8' } })
  return async (command, changes = {}) => await terminal.run({ command }, { ...context, ...changes })
}
