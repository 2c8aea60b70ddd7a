import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { realPath } from '../tools/containment.js'
import { type Tool } from '../tools/tool.js'
import { type PolicyContext } from './decide.js'
import { Findings } from './findings.js'
import { judgePath, reachesProtected, type Territory } from './paths.js'
import { readCommand } from './shell.js'

/** What a call does, as far as that can be told. */
export interface Examination {
  /** Everything it does, by its keys. */
  keys: string[]
  /** Those of the keys that a sandbox does not make harmless. */
  lasting: string[]
  /** Why it cannot be done inside a sandbox, as ends of the sentence "Leaves the sandbox: …". */
  leaves: string[]
  opaque: string | null
  forbidden: string | null
  /** It is a command that runs inside the sandbox. */
  confined: boolean
}

export function examine (tool: Tool, args: Record<string, unknown>, context: PolicyContext): Examination {
  const { command, cwd, unconfined, paths = [], url } = tool.targets(args)
  const territory = territoryOf(context)
  const absolute = (path: string): string => follow(context, isAbsolute(path) ? path : `${context.workspace}/${path}`)
  const findings = new Findings()

  for (const { path, access, recursive } of paths) {
    const real = absolute(path)
    const key = access === 'read' && recursive === true && reachesProtected(real, territory) ? 'read:protected' : judgePath(real, access, territory)
    // The tool itself opens these, or starts there.
    if (key !== null) findings.touch(key, key === 'write:workspace' ? 'inside' : 'beyond')
  }
  if (url !== undefined) findings.add(`net:${URL.canParse(url) ? new URL(url).host : ''}`)
  const told = command !== undefined || url !== undefined || paths.length > 0
  if (!told && !['none', 'read'].includes(tool.risk)) findings.add(`tool:${tool.name}`)
  if (unconfined === true) findings.leaves('the agent asks for it')

  const own = findings.result()
  const reading = command === undefined
    ? null
    : readCommand(command, { cwd: cwd === undefined ? context.workspace : absolute(cwd), territory, resolvePath: (path) => follow(context, path) })
  const leaves = [...new Set([...own.leaves, ...reading?.leaves ?? []])]
  return {
    keys: [...new Set([...reading?.keys ?? [], ...own.keys])],
    lasting: [...new Set([...reading?.lasting ?? [], ...own.lasting])],
    leaves,
    opaque: reading?.opaque ?? null,
    forbidden: reading?.forbidden ?? null,
    confined: command !== undefined && context.sandboxed === true && leaves.length === 0
  }
}

function territoryOf (context: PolicyContext): Territory {
  return {
    workspace: context.workspace,
    readable: (context.readable ?? []).map((folder) => follow(context, folder)),
    homes: [context.home, ...context.otherHomes ?? []].map((home) => follow(context, home)),
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
