import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { realPath } from '../tools/containment.js'
import { type Tool } from '../tools/tool.js'
import { oneLine } from '../tools/wording.js'
import { judgePath, reachesProtected, type Territory } from './paths.js'
import { inlineKeys, sessionOnlyKeys } from './scopes.js'
import { readCommand } from './shell.js'

export interface PolicyContext {
  /** Absolute, symlink-free. */
  workspace: string
  /** Home folder of the profile: the agent's own configuration, keys and instructions. */
  home: string
  /** Folders in which the service keeps its state. */
  serviceRoots: string[]
  /** Pattern keys that are already allowed. */
  grants: ReadonlySet<string>
  yolo: boolean
  /** Somebody is there to be asked. */
  attended: boolean
  /** Home folder of the user the commands run as. Default: this process's. */
  userHome?: string
  /** Follows symlinks, also in paths whose end does not exist. Default: realPath. */
  resolvePath?: (path: string) => string
}

export type Scope = 'once' | 'session' | 'always'

export interface Verdict {
  verdict: 'allow' | 'ask' | 'forbid'
  /** The key that stands for the call: the first of `patternKeys`, '' when there is nothing to ask. */
  patternKey: string
  patternKeys: string[]
  /** A sentence for the person who is asked. */
  description: string
  /** What is shown to the person: the command, or one line. */
  command: string
  /** For how long the keys may be granted. A key that may be granted only once is never taken from `grants`. */
  maxScope: Scope
  /** For `forbid`: what the model is told. */
  reason?: string
  /** The call reaches outside the workspace. When it is allowed, the tool has to be told so (`ToolContext.approved`). */
  leavesWorkspace: boolean
}

interface Findings { keys: string[], forbidden: string | null, remarks: string[] }

/** Judges one tool call. Pure, but for looking at symlinks through `resolvePath`. */
export function decide ({ tool, args }: { tool: Tool, args: Record<string, unknown> }, context: PolicyContext): Verdict {
  const findings = examine(tool, args, context)
  const command = tool.targets(args).command
  const keys = [...new Set(findings.keys)]
  const base = {
    patternKey: keys[0] ?? '',
    patternKeys: keys,
    description: sentences(describe(tool, args), findings.remarks),
    command: command ?? `${tool.name}: ${tool.preview(args)}`,
    maxScope: scopeOf(keys),
    leavesWorkspace: keys.some((key) => /:(?:outside|protected)$/.test(key))
  }
  if (findings.forbidden !== null) {
    return {
      ...base,
      verdict: 'forbid',
      maxScope: 'once',
      reason: `Refused: this would ${findings.forbidden}. Such calls never run, not even with the user's approval. ` +
        'Do not rephrase it or reach the same result in another way; tell the user why it was needed and let them do it.'
    }
  }
  if (keys.length === 0 || context.yolo) return { ...base, verdict: 'allow' }
  if (base.maxScope !== 'once' && keys.every((key) => context.grants.has(key))) return { ...base, verdict: 'allow' }
  if (context.attended) return { ...base, verdict: 'ask' }
  return {
    ...base,
    verdict: 'forbid',
    reason: `Refused: this needs the user's approval (${keys.join(', ')}), and nobody is there to give it. ` +
      'Do not look for a way around it. Do what is possible without it, and report what could not be done.'
  }
}

function examine (tool: Tool, args: Record<string, unknown>, context: PolicyContext): Findings {
  const targets = tool.targets(args)
  const territory = territoryOf(context)
  const absolute = (path: string): string => follow(context, isAbsolute(path) ? path : `${context.workspace}/${path}`)
  const findings: Findings = { keys: [], forbidden: null, remarks: [] }

  if (targets.command !== undefined) {
    const cwd = targets.cwd === undefined ? context.workspace : absolute(targets.cwd)
    const reading = readCommand(targets.command, { cwd, territory, resolvePath: (path) => follow(context, path) })
    findings.keys.push(...reading.keys)
    findings.forbidden = reading.forbidden
    if (reading.opaque !== null) findings.remarks.push(`What it does cannot be told in advance: ${reading.opaque}.`)
  }
  for (const { path, access, recursive } of targets.paths ?? []) {
    const real = absolute(path)
    const key = access === 'read' && recursive === true && reachesProtected(real, territory) ? 'read:protected' : judgePath(real, access, territory)
    if (key !== null) findings.keys.push(key)
  }
  if (targets.url !== undefined) findings.keys.push(networkKey(targets.url))
  const told = targets.command !== undefined || targets.url !== undefined || (targets.paths?.length ?? 0) > 0
  if (!told && !['none', 'read'].includes(tool.risk)) findings.keys.push(`tool:${tool.name}`)
  findings.remarks.push(...remarksOn(findings.keys))
  return findings
}

function territoryOf (context: PolicyContext): Territory {
  return {
    workspace: context.workspace,
    home: follow(context, context.home),
    serviceRoots: context.serviceRoots.map((root) => follow(context, root)),
    userHome: follow(context, context.userHome ?? homedir())
  }
}

function follow ({ resolvePath = realPath }: PolicyContext, path: string): string {
  try {
    return resolvePath(path)
  } catch {
    return path // a loop of symlinks: whoever opens it will fail
  }
}

function networkKey (url: string): string {
  return `net:${URL.canParse(url) ? new URL(url).hostname.toLowerCase() || 'unknown' : 'unknown'}`
}

function remarksOn (keys: string[]): string[] {
  const remarks: string[] = []
  if (keys.includes('write:outside')) remarks.push('It may write outside the workspace.')
  else if (keys.includes('read:outside')) remarks.push('It reads outside the workspace.')
  if (keys.includes('write:protected')) remarks.push('It may change protected files: settings, keys, or files that run by themselves.')
  else if (keys.includes('read:protected')) remarks.push('It may read secrets: keys, passwords, or the state of this service.')
  return remarks
}

function describe (tool: Tool, args: Record<string, unknown>): string {
  const { command, cwd, paths, url } = tool.targets(args)
  if (command !== undefined) return `Run a command${cwd === undefined ? '' : ` in ${oneLine(cwd, 100)}`}: ${oneLine(command, 300)}`
  if (url !== undefined) return `Fetch ${oneLine(url, 300)}`
  if (paths?.[0] === undefined) return `Use the tool ${tool.name}: ${tool.preview(args)}`
  const verb = paths.some(({ access }) => access === 'write') ? 'Write' : 'Read'
  return `${verb} ${oneLine(paths.map(({ path }) => path).join(', '), 300)}`
}

function sentences (first: string, others: string[]): string {
  return others.length === 0 ? first : [/[.!?…]$/.test(first) ? first : `${first}.`, ...others].join(' ')
}

function scopeOf (keys: string[]): Scope {
  if (keys.some((key) => key === 'shell:opaque' || key === 'net:unknown' || key.endsWith(':protected'))) return 'once'
  return keys.some((key) => key.endsWith(':outside') || sessionOnlyKeys.has(key) || inlineKeys.test(key)) ? 'session' : 'always'
}
