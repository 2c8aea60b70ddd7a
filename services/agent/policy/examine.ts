import { isAbsolute } from 'node:path'
import { type Tool, type ToolTargets } from '../tools/tool.js'
import { Budget, Unfinished } from './budget.js'
import { type PolicyContext } from './context.js'
import { type CommandReading, Findings } from './findings.js'
import { createFollower, kernelPathChars } from './follow.js'
import { changingService } from './program-call.js'
import { isOfService, isProjectSetting, judgePath, type PathKey, reachesProtected, type Boundaries } from './paths.js'
import { changedToolKey, memoryKey, schedulesKey, skillsKey } from './scopes.js'
import { type Lands, boundariesOf } from './boundaries.js'
import { inEnglish, reason, type Reason } from '../../../reasons/index.js'

/** What a call does, as far as it is known. */
export interface Examination {
  /** Keys for everything it does. */
  keys: string[]
  /** Those keys that a sandbox does not make harmless. */
  lasting: string[]
  /** Why it cannot run in a sandbox, as ends of the sentence "Leaves the sandbox: …". */
  leaves: Reason[]
  opaque: Reason | null
  /** Whether it could not be read to its end, so that only a person may allow it. */
  unfinished: boolean
  forbidden: string | null
  /** Whether it is a command that runs in the sandbox. */
  confined: boolean
  /** Programs that git would run besides its own in the folders where it works. */
  gitRuns: Reason[]
  /** Links on its way that lead elsewhere. */
  links: Reason[]
}

const maxUrlChars = 32_768

/** @param reading what the tool's command does; null if it has none */
export function examine (tool: Tool, args: Record<string, unknown>, context: PolicyContext, reading: CommandReading | null): Examination {
  const { command, unconfined, paths = [], url, memory, skill, schedule, mcp } = tool.targets(args)
  const findings = new Findings()
  if (paths.length > 0) judgePaths(paths, context, findings)
  if (url !== undefined) findings.add(`net:${url.length <= maxUrlChars && URL.canParse(url) ? new URL(url).host : ''}`)
  if (memory !== undefined) findings.add(memoryKey)
  if (skill !== undefined) findings.add(skillsKey)
  if (schedule !== undefined) findings.add(schedulesKey)
  if (mcp !== undefined) findings.add(mcp.key)
  if (mcp?.isOther === true) findings.add(changedToolKey)
  const told = paths.length > 0 || [command, url, memory, skill, schedule, mcp].some((target) => target !== undefined)
  if (!told && !['none', 'read'].includes(tool.risk)) findings.add(`tool:${tool.name}`)
  if (unconfined === true) findings.leaves(reason('asked_by_agent'))

  const own = findings.result()
  const needsOnlyNetwork = new Set(context.limitedBy === 'container' ? reading?.lacksNetwork ?? [] : [])
  const leaves = [...new Map([...own.leaves, ...reading?.leaves ?? []].map((why) => [inEnglish(why), why]))]
    .flatMap(([words, why]) => needsOnlyNetwork.has(words) ? [] : [why])
  return {
    keys: [...new Set([...reading?.keys ?? [], ...own.keys])],
    lasting: [...new Set([...reading?.lasting ?? [], ...own.lasting])],
    leaves,
    opaque: reading?.opaque ?? null,
    unfinished: reading?.unfinished ?? false,
    forbidden: own.forbidden ?? reading?.forbidden ?? null,
    confined: command !== undefined && context.sandboxed === true && leaves.length === 0,
    gitRuns: reading?.gitRuns ?? [],
    links: reading?.links ?? []
  }
}

function judgePaths (paths: NonNullable<ToolTargets['paths']>, context: PolicyContext & Lands, findings: Findings): void {
  const follow = createFollower(new Budget(paths.length * kernelPathChars), context.resolvePath)
  const boundaries = boundariesOf(context, follow)
  for (const { path, access, recursive } of paths) {
    const written = isAbsolute(path) ? path : `${context.workspace}/${path}`
    const key = keyOf(written, access, recursive === true, boundaries, follow)
    if (access === 'write' && isOwn(written, boundaries, follow)) findings.forbid(changingService)
    // The tool itself opens these paths, or starts there.
    if (key !== null) findings.touch(key, key === 'write:workspace' ? 'inside' : 'beyond')
  }
}

function isOwn (path: string, boundaries: Boundaries, follow: (path: string) => string): boolean {
  try {
    return isOfService(follow(path), false, boundaries)
  } catch (error) {
    if (error instanceof Unfinished) return true
    throw error
  }
}

function keyOf (
  path: string, access: 'read' | 'write', recursive: boolean, boundaries: Boundaries, follow: (path: string) => string
): PathKey | null {
  // The kernel does not open longer paths.
  if (path.length > kernelPathChars) return `${access}:protected`
  try {
    const real = follow(path)
    if (access === 'write' && isProjectSetting(real)) return 'write:protected'
    return access === 'read' && recursive && reachesProtected(real, boundaries) ? 'read:protected' : judgePath(real, access, boundaries)
  } catch (error) {
    if (error instanceof Unfinished) return `${access}:protected`
    throw error
  }
}
