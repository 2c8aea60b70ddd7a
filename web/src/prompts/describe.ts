import { type Approval } from '../core/conversation/prompts.js'

/** The subject of a card, for its title and its body. */
export type Subject =
  | { kind: 'create' | 'edit' | 'write', file: string }
  | { kind: 'createTask' | 'editTask' | 'pauseTask' | 'resumeTask' | 'deleteTask', name: string }
  | { kind: 'command', program: string }
  | { kind: 'request', method: string, host: string }
  | { kind: 'mcp', server: string, tool: string }
  | { kind: 'sampling', server: string }
  | { kind: 'instructions' | 'budget' | LastingKind | 'other' }

/** The subject of a call without a file, a command or an address, by its pattern key. */
type LastingKind = 'memory' | 'skills' | 'schedules' | 'readOutside' | 'readProtected'

/** Determines the subject of an approval from its data, not from its sentence. */
export function subjectOf (approval: Approval): Subject {
  const { budget, pattern_key: key, request, file, diff, job_change: job, folder, command_parts: parts } = approval
  if (budget !== undefined) return { kind: 'budget' }
  if (key === 'instructions:changed') return { kind: 'instructions' }
  const mcp = readMcp(approval.pattern_keys)
  if (mcp !== null) return mcp
  if (job !== undefined) return { kind: taskActions[job.action], name: job.name }
  if (file !== undefined) return { kind: diff === undefined ? 'write' : isCreation(diff) ? 'create' : 'edit', file }
  if (request !== undefined) return { kind: 'request', method: request.method, host: request.host }
  if (folder !== undefined || parts !== undefined) return { kind: 'command', program: parts?.[0]?.program ?? '' }
  return { kind: approval.pattern_keys.map((one) => lasting.get(one)).find((kind) => kind !== undefined) ?? 'other' }
}

const lasting: ReadonlyMap<string, LastingKind> = new Map([
  ['write:memory', 'memory'], ['write:skills', 'skills'], ['write:schedules', 'schedules'],
  ['read:protected', 'readProtected'], ['read:outside', 'readOutside']
])

function readMcp (keys: readonly string[]): Subject | null {
  for (const key of keys) {
    const [, server, tool] = /^mcp:([^:]+):(.+)$/.exec(key) ?? []
    if (server !== undefined && tool !== undefined) {
      return tool === 'sampling/create' ? { kind: 'sampling', server } : { kind: 'mcp', server, tool }
    }
  }
  return null
}

const taskActions = { create: 'createTask', update: 'editTask', pause: 'pauseTask', resume: 'resumeTask', remove: 'deleteTask' } as const

const isCreation = (diff: string): boolean => /^--- \/dev\/null$/m.test(diff.slice(0, 2_000)) || /^@@ -0,0 /m.test(diff.slice(0, 2_000))

/** Counts the added and removed lines. */
export function countLines (diff: string): { added: number, removed: number } {
  const lines = diff.split('\n')
  return {
    added: lines.filter((line) => line.startsWith('+') && !line.startsWith('+++')).length,
    removed: lines.filter((line) => line.startsWith('-') && !line.startsWith('---')).length
  }
}

/** Returns a part of a command as it would be typed. */
export const typed = ({ program, args }: { program: string, args: readonly string[] }): string =>
  [program, ...args].map((word) => /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`).join(' ')

/** What a pattern key covers; `other` is shown as it is. */
export type Rule =
  | { kind: 'command', command: string }
  | { kind: 'net', host: string }
  | { kind: 'mcp', server: string, tool: string }
  | { kind: 'budget', scope: string, measure: string }
  | {
    kind: 'workspace' | 'memory' | 'skills' | 'schedules' | 'readOutside' | 'writeOutside' | 'readProtected' | 'writeProtected' | 'opaque'
  }
  /** `seal`: of the hooks and the configuration, by which such rules differ. */
  | { kind: 'ownGit', seal: string }
  | { kind: 'other', key: string }

const plain: Readonly<Record<string, Exclude<Rule, { kind: 'command' | 'net' | 'mcp' | 'budget' | 'ownGit' | 'other' }>['kind']>> = {
  'write:workspace': 'workspace',
  'write:memory': 'memory',
  'write:skills': 'skills',
  'write:schedules': 'schedules',
  'read:outside': 'readOutside',
  'write:outside': 'writeOutside',
  'read:protected': 'readProtected',
  'write:protected': 'writeProtected',
  'shell:opaque': 'opaque'
}

/** Parses a pattern key, so that it can be put into words. */
export function ruleOf (key: string): Rule {
  const kind = Object.hasOwn(plain, key) ? plain[key] : undefined
  if (kind !== undefined) return { kind }
  const [, family, rest = ''] = /^(\w+):(.+)$/s.exec(key) ?? []
  if (family === 'cmd') return { kind: 'command', command: rest }
  if (family === 'git' && rest.startsWith('own ')) return { kind: 'ownGit', seal: rest.slice('own '.length) }
  if (family === 'net' && rest !== 'unknown') return { kind: 'net', host: rest }
  const [, first, second] = /^([^:]+):(.+)$/s.exec(rest) ?? []
  if (family === 'mcp' && first !== undefined && second !== undefined) return { kind: 'mcp', server: first, tool: second }
  if (family === 'budget' && first !== undefined && second !== undefined) return { kind: 'budget', scope: first, measure: second }
  return { kind: 'other', key }
}
