import { Type } from '@sinclair/typebox'
import { realPath } from '../../ground/containment.js'
import { type Tool, ToolError } from '../tools/index.js'
import { oneLine } from '../tools/wording.js'
import { commandOf, previewOf, type AgentCall } from './calls.js'
import { text } from './wire.js'

const parameters = Type.Object({})

/**
 * A call that an agent asks about, as our policy judges calls: by what it touches. It is the agent that runs it, and what it says of it
 * that is judged.
 *
 * @param kept hears the text that a file would get, once it is known
 */
export function describedCall (agentId: string, call: AgentCall, kept: (path: string, after: string) => void): Tool {
  const targets = targetsOf(call)
  const [diff] = call.diffs ?? []
  const isFile = targets.paths !== undefined && targets.command === undefined
  return {
    name: `agent-${agentId}-${call.kind ?? 'other'}${targets.command === undefined && targets.paths === undefined && targets.url === undefined ? `-${slug(call)}` : ''}`,
    description: '',
    parameters,
    risk: call.kind === 'think' ? 'none' : 'execute',
    targets: () => targets,
    preview: () => previewOf(call),
    problem: () => undefined,
    ...(isFile && diff !== undefined
      ? {
          rewrite: (_: unknown, before: string | null) => {
            const after = afterOf(diff, before)
            kept(diff.path, after)
            return after
          }
        }
      : {}),
    run: async () => { throw new ToolError('An agent runs its calls by itself.') }
  }
}

/** More files than anybody reads the names of are one answer all the same. */
const mostPaths = 50

function targetsOf (call: AgentCall): ReturnType<Tool['targets']> {
  const { kind, input, diffs = [], paths = [] } = call
  const command = kind === 'execute' || kind === undefined ? commandOf(call) : null
  if (command !== null) {
    const cwd = [input?.['cwd'], input?.['workdir'], input?.['directory'], input?.['working_directory']].find((value) => typeof value === 'string' && value !== '') as string | undefined
    const why = text(input?.['description']) ?? text(input?.['reason']) ?? text(input?.['justification'])
    return { command, ...(cwd === undefined ? {} : { cwd }), ...(why === undefined ? {} : { why: oneLine(why, 300) }) }
  }
  const url = text(input?.['url'])
  if (kind === 'fetch' && url !== undefined) return { url }
  const named = [input?.['path'], input?.['file_path'], input?.['filePath'], input?.['abs_path'], input?.['source'], input?.['destination']].filter((value) => typeof value === 'string' && value !== '')
  const found = [...new Set([...diffs.map(({ path }) => path), ...paths, ...named as string[]])].slice(0, mostPaths)
  if (found.length === 0) return {}
  if (kind === 'read' || kind === 'search') return { paths: found.map((path) => ({ path, access: 'read' as const, ...(kind === 'search' ? { recursive: true } : {}) })) }
  if (kind === 'edit' || kind === 'delete' || kind === 'move' || diffs.length > 0) return { paths: found.map((path) => ({ path, access: 'write' as const })) }
  return {}
}

/** The file with a difference in it, which some agents tell as a whole and others as the piece that changes. */
function afterOf ({ before: piece, after }: { before: string | null, after: string }, now: string | null): string {
  if (piece === null || piece === '' || now === null || piece === now) return after
  const at = now.indexOf(piece)
  if (at === -1) throw new ToolError('What the agent says it would replace is not in the file.')
  if (now.indexOf(piece, at + 1) !== -1) throw new ToolError('What the agent says it would replace is in the file more than once, so it is not known which one it means.')
  return `${now.slice(0, at)}${after}${now.slice(at + piece.length)}`
}

/** Holds for calls of this very name alone. */
function slug ({ name, title }: AgentCall): string {
  return (name ?? title ?? 'call').toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '').slice(0, 60)
}

/** Whether a person has just allowed this very text for this file. */
export function mayWrite (calls: readonly AgentCall[], path: string, content: string): boolean {
  const real = realOr(path)
  return calls.some(({ allowed }) => allowed.some((one) => 'path' in one && one.text === content && realOr(one.path) === real))
}

export function mayRun (calls: readonly AgentCall[], command: string): boolean {
  return calls.some(({ allowed }) => allowed.some((one) => 'command' in one && one.command === command))
}

function realOr (path: string): string {
  try {
    return realPath(path)
  } catch {
    return path
  }
}
