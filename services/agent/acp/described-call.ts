import { Type } from '@sinclair/typebox'
import { createTwoFilesPatch } from 'diff'
import { createHash } from 'node:crypto'
import { realPath } from '../../ground/files/containment.js'
import { tried } from '../../ground/tried.js'
import { type Tool, ToolError } from '../tools/index.js'
import { oneLine } from '../tools/wording.js'
import { commandIn, commandOf, hasUnreadCommand, subjectOf, type AgentCall, type Allowed, type ToldCall } from './calls.js'
import { text, type CallDiff } from './wire.js'

const parameters = Type.Object({})

/**
 * Turns a call that an agent asks about into a tool that the policy can judge by what it touches. The agent itself runs the call, and
 * the policy judges what the agent says about it.
 *
 * @param kept called with the text that a file would get, once that is known
 */
export function describedCall (agentId: string, call: ToldCall, kept: (path: string, after: string) => void): Tool {
  const targets = targetsOf(call)
  const diff = changeIn(call, targets)
  return {
    name: `agent-${agentId}-${call.kind ?? 'other'}${targets.command === undefined && targets.paths === undefined && targets.url === undefined ? `-${slug(call)}` : ''}`,
    description: '',
    parameters,
    risk: 'execute',
    targets: () => targets,
    // A card shows what the agent says unchanged.
    preview: () => oneLine(subjectOf(call), longestSubject),
    ...(diff === undefined
      ? contentOf(call, targets)
      : {
          rewrite: (_: unknown, before: string | null) => {
            const after = afterOf(diff, before)
            kept(diff.path, after)
            return after
          }
        }),
    problem: () => undefined,
    run: async () => { throw new ToolError('An agent runs its calls by itself.') }
  }
}

/** A longer title is shown in full with the content of the call. */
const longestSubject = 2_000
const mostEdits = 300
const folderKeys = ['cwd', 'workdir', 'directory', 'working_directory']
/** Keys that accompany a command and say nothing about what it does. */
const besideCommand: ReadonlySet<string> = new Set(['description', 'reason', 'justification', 'timeout', 'timeout_ms', 'timeoutMs'])

/**
 * Returns the change of a call that changes one file once and says nothing else. A card then shows only the diff.
 */
function changeIn ({ input = {}, diffs = [] }: ToldCall, { command, paths = [] }: ReturnType<Tool['targets']>): CallDiff | undefined {
  const [diff, ...others] = diffs
  if (diff === undefined || others.length > 0 || paths.length !== 1 || command !== undefined) return undefined
  const said = [diff.path, diff.before, diff.after]
  const isSaid = ([key, value]: [string, unknown]): boolean =>
    typeof value === 'string'
      ? besideCommand.has(key) || (key === 'command' ? fileVerbs.has(value) : said.includes(value))
      : typeof value !== 'object' || value === null
  return Object.entries(input).every(isSaid) ? diff : undefined
}

/** Returns what a card shows besides the title. What the agent runs is in the call's data and not in the title, so all of it is shown. */
function contentOf (call: ToldCall, { command, paths: touched = [] }: ReturnType<Tool['targets']>): Pick<Tool, 'content'> {
  const { title = '', input = {}, diffs = [], texts = [], paths = [] } = call
  const shown = new Set([...besideCommand, ...commandIn(call)?.keys ?? [], ...folderIn(input)?.slice(0, 1) ?? []])
  const isTold = Object.keys(input).every((key) => command !== undefined && shown.has(key))
  const parts = [
    title.length > longestSubject && title !== command ? title : '',
    isTold ? '' : JSON.stringify(input, null, 2),
    ...command === undefined ? texts : [],
    paths.length > 1 || touched.length > 1 ? [...new Set([...paths, ...touched.map(({ path }) => path)])].join('\n') : '',
    ...diffs.map(({ path, before, after }) => createTwoFilesPatch(before === null
      ? '/dev/null'
      : path, path, before ?? '', after, undefined, undefined, { maxEditLength: mostEdits }) ?? `${path}:\n${after}`)
  ].filter((part) => part !== '')
  return parts.length === 0 ? {} : { content: () => parts.join('\n\n') }
}

/** With more files than anybody would read, the call itself is judged instead of its files. */
const mostPaths = 50

/**
 * Returns what a call touches, by its content and not by its declared kind: a "think" call with a command line is a command, a "read" call
 * with a diff is a change. A call that is not known to be harmless has no targets, so that the user is asked about the call itself.
 */
function targetsOf (call: ToldCall): ReturnType<Tool['targets']> {
  const { kind, input = {}, diffs = [], paths = [] } = call
  if (hasUnreadCommand(call)) return {}
  const command = commandTold(call)
  const named = pathKeys.flatMap((key) => text(input[key]) || [])
  const found = [...new Set([...diffs.map(({ path }) => path), ...paths, ...named])]
  const url = text(input['url'])
  if (found.length > mostPaths) return command === null ? {} : commandTargets(command, input)
  const written = diffs.map(({ path }) => ({ path, access: 'write' as const }))
  if (command !== null) return { ...commandTargets(command, input), ...(written.length === 0 ? {} : { paths: written }) }
  if (url !== undefined) {
    return kind === 'fetch' && found.length === 0 && Object.keys(input).every((key) => fetchingKeys.has(key)) ? { url } : {}
  }
  if (found.length === 0) return {}
  if (diffs.length > 0 || kind === 'edit' || kind === 'delete' || kind === 'move') {
    return { paths: found.map((path) => ({ path, access: 'write' as const })) }
  }
  if ((kind !== 'read' && kind !== 'search') || Object.keys(input).some((key) => !readingKeys.has(key))) return {}
  return { paths: found.map((path) => ({ path, access: 'read' as const, ...(kind === 'search' ? { recursive: true } : {}) })) }
}

function commandTargets (command: string, input: NonNullable<ToldCall['input']>): ReturnType<Tool['targets']> {
  const cwd = folderIn(input)?.[1]
  const why = text(input['description']) ?? text(input['reason']) ?? text(input['justification'])
  return { command, ...(cwd === undefined ? {} : { cwd }), ...(why === undefined ? {} : { why: oneLine(why, 300) }) }
}

/** Returns the folder of a call and the key that holds it. */
function folderIn (input: NonNullable<ToldCall['input']>): [key: string, folder: string] | null {
  for (const key of folderKeys) {
    const folder = text(input[key])
    if (folder !== undefined && folder !== '') return [key, folder]
  }
  return null
}

/** Whether a call only switches the mode, and does nothing else besides. */
export function onlySwitches (call: ToldCall): boolean {
  const { command, url, paths } = targetsOf(call)
  return call.kind === 'switch_mode' && command === undefined && url === undefined && paths === undefined && !hasUnreadCommand(call) &&
    text(call.input?.['url']) === undefined && (call.diffs ?? []).length === 0
}

/** Whether a call may be allowed in a turn that only reads. */
export function onlyReads (call: ToldCall): boolean {
  const { command, url, paths = [] } = targetsOf(call)
  return (call.kind === 'read' || call.kind === 'search') && command === undefined && url === undefined && paths.length > 0 &&
    paths.every(({ access }) => access === 'read')
}

const pathKeys = ['path', 'file_path', 'filePath', 'absolute_path', 'abs_path', 'source', 'destination']
/** Keys of calls that only read files. */
const readingKeys: ReadonlySet<string> = new Set([...pathKeys, 'command', 'offset', 'limit', 'pages', 'lines', 'line', 'start_line', 'end_line', 'pattern', 'query', 'glob', 'include', 'exclude', 'type', 'description',
  'output_mode', 'multiline', 'head_limit', 'case_sensitive', 'respect_git_ignore', '-n', '-i', '-A', '-B', '-C'])
/** Keys of calls that only fetch a page. */
const fetchingKeys: ReadonlySet<string> = new Set(['url', 'prompt', 'format', 'timeout', 'description', 'max_length', 'start_index', 'raw'])
/** Words with which tools for files name their action, under the key of a command. */
const fileVerbs: ReadonlySet<string> = new Set([
  'view', 'read', 'list', 'create', 'write', 'insert', 'str_replace', 'undo_edit', 'replace', 'edit', 'rename', 'delete'
])

/** Returns the command line to judge. Some agents declare such a call as one that reads. */
function commandTold (call: ToldCall): string | null {
  const command = commandOf(call)
  return command !== null && call.kind !== 'execute' && fileVerbs.has(command) ? null : command
}

/** Returns the file after a change. Some agents give the whole file, others only the piece that changes. */
function afterOf ({ before: piece, after }: { before: string | null, after: string }, now: string | null): string {
  if (piece === null || piece === '' || now === null || piece === now) return after
  const at = now.indexOf(piece)
  if (at === -1) throw new ToolError('What the agent says it would replace is not in the file.')
  if (now.indexOf(piece, at + 1) !== -1) {
    throw new ToolError('What the agent says it would replace is in the file more than once, so it is not known which one it means.')
  }
  return `${now.slice(0, at)}${after}${now.slice(at + piece.length)}`
}

/** Returns a key that applies only to calls of exactly this name, whatever script it is written in. */
function slug ({ name, title }: ToldCall): string {
  const whole = name ?? title ?? 'call'
  const readable = whole.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return readable === whole.toLowerCase() && readable.length <= 60
    ? readable
    : `${readable.slice(0, 50)}-${createHash('sha256').update(whole).digest('hex').slice(0, 8)}`
}

/** Whether this exact text was allowed for this file and not written yet. Uses the permission up. */
export function takeWrite (calls: readonly AgentCall[], path: string, content: string): boolean {
  const real = realOr(path)
  return takeAllowed(calls, (one) => 'path' in one && one.text === content && realOr(one.path) === real)
}

/** Whether this exact command was allowed in this folder and not run yet. Uses the permission up. */
export function takeRun (calls: readonly AgentCall[], command: string, cwd: string): boolean {
  const real = realOr(cwd)
  return takeAllowed(calls, (one) => 'command' in one && one.command === command && realOr(one.cwd) === real)
}

function takeAllowed (calls: readonly AgentCall[], fits: (one: Allowed) => boolean): boolean {
  const call = calls.find(({ allowed }) => allowed.some(fits))
  call?.allowed.splice(call.allowed.findIndex(fits), 1)
  return call !== undefined
}

const realOr = (path: string): string => tried(() => realPath(path), path)
