import { type ToolContext } from '../../services/agent/tools/index.js'

/** Returns the context of a tool call in a workspace, for a conversation without memory. */
export function toolContext (workspace: string, changes: Partial<ToolContext> = {}): ToolContext {
  return {
    workspace,
    sessionId: 's',
    runId: 'r',
    signal: new AbortController().signal,
    childEnv: { PATH: process.env.PATH ?? '', HOME: '/nowhere', LANG: 'C.UTF-8' },
    approved: false,
    confined: true,
    hidden: [],
    readable: [],
    clarify: async () => null,
    delegate: async () => ({ text: '' }),
    searchSessions: async () => [],
    memory: { text: async () => ({ before: null, after: '', version: '' }), save: async () => ({ text: '' }) },
    skills: { view: async () => ({ text: '' }), text: async () => ({ path: '', text: null, version: '' }), save: async () => ({ text: '' }) },
    schedules: { list: async () => ({ text: '' }), text: async () => ({ path: '', before: null, after: '', version: '' }), save: async () => ({ text: '' }) },
    savePlan: async () => ({ text: '' }),
    setTodos: () => {},
    ...changes
  }
}
