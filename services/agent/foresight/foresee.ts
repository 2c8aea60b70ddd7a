import { lstat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { ignoring } from '../../ground/errors.js'
import { inEnglish, reason, type Reason } from '../../../reasons/index.js'
import { type CommandReading } from '../policy/index.js'
import { type JobChange } from '../job-change.js'
import { type Foresight } from '../protocol.js'
import { type Containment, resolveInside, shownPath, ToolError } from '../tools/containment.js'
import { type FileStamp, noFile, readText } from '../tools/text-files.js'
import { type StoredDocuments, type Tool } from '../tools/index.js'
import { type Comparer } from './comparer.js'

export interface ForesightContext {
  workspace: string
  readable: readonly string[]
  /** What the call's command line does; null if it has none. */
  reading: CommandReading | null
  /** Whether it would run in the sandbox. */
  confined: boolean
  /** What confines it; undefined = a sandbox of its own. */
  limitedBy?: 'container' | undefined
  compare: Comparer
  signal: AbortSignal
  /** For tools that propose a change of a stored document. */
  kept?: StoredDocuments
}

/** Larger files are not compared. */
const maxFileBytes = 256 * 1024
const maxUrlChars = 32_768
const mostShownChars = 2_000
/** A longer change of a job is shown as a diff only, which cards show page by page. */
const mostJobChars = 12_000

/** Returns what a call would do. For a call that changes a file, the file is read. No content of a call or a file makes it throw. */
export async function foresee (tool: Tool, args: Record<string, unknown>, context: ForesightContext): Promise<Foresight> {
  const { command, cwd, url, paths } = tool.targets(args)
  const foresight: Foresight = {}
  if (command !== undefined && context.reading !== null) foresight.command = commandOf(cwd, context, context.reading)
  if (url !== undefined && url.length <= maxUrlChars && URL.canParse(url)) foresight.request = requestOf(new URL(url))
  const [rewrite, propose] = [tool.rewrite?.bind(tool, args), tool.propose?.bind(tool, args)]
  if (rewrite !== undefined && paths?.[0] !== undefined) foresight.change = await changeOf(rewrite, paths[0].path, context)
  if (propose !== undefined && context.kept !== undefined) foresight.change = await proposalOf(tool.name, propose, context.kept, context)
  return foresight
}

function commandOf (
  cwd: string | undefined, { workspace, confined, limitedBy }: ForesightContext, { parts, partsCut }: CommandReading
): Foresight['command'] {
  const folder = cwd === undefined || !isAbsolute(cwd) ? resolve(workspace, cwd ?? '.') : cwd
  return { parts, isCut: partsCut, folder: cut(folder), isConfined: confined, ...confined && limitedBy !== undefined ? { limitedBy } : {} }
}

function requestOf ({ protocol, host, pathname, search }: URL): Foresight['request'] {
  return { method: 'GET', scheme: protocol.replace(/:$/, ''), host, path: cut(`${pathname}${search}`) }
}

/** Shortens a path, and marks that a part is missing. */
const cut = (path: string): string => path.length > mostShownChars ? `${path.slice(0, mostShownChars)}…` : path

async function changeOf (
  rewrite: (before: string | null) => string | Promise<string>, path: string, { workspace, readable, compare, signal }: ForesightContext
): Promise<Foresight['change']> {
  // The file may be in a place that the tool may access only after this approval, so its content is only for the person.
  const containment = { workspace, readable, approved: true }
  let shown = cut(path)
  try {
    const real = resolveInside(containment, path)
    shown = cut(shownPath(workspace, real))
    const { text: before, seen } = await textOf(containment, real)
    const after = await fitted(async () => await rewrite(before))
    if (Buffer.byteLength(after) > maxFileBytes) throw new Incomparable(reason('diff_text_too_large'))
    const compared = await compare({ path: shown, before, after }, signal)
    return compared === null ? missing(shown, reason('diff_too_many_changes')) : { path: shown, ...compared, seen }
  } catch (error) {
    // The message is for a model, which may only receive content of files that it may read without permission.
    if (error instanceof Unfit) {
      return {
        ...missing(shown, reason('diff_edit_unfit')),
        ...(isReadable(path, { workspace, readable }) && { fails: error.message })
      }
    }
    return missingBecause(shown, error, reason('diff_file_unreadable'))
  }
}

/** Thrown for texts that are too large to be compared. */
class Incomparable extends Error {
  constructor (readonly why: Reason) {
    super(inEnglish(why))
  }
}

/** Describes a change without its difference, and why. */
const missing = (path: string, why: Reason) => ({ path, note: inEnglish(why), why })

function missingBecause (path: string, error: unknown, otherwise: Reason): Foresight['change'] {
  if (error instanceof ToolError) return { path, note: cut(error.message) }
  return missing(path, error instanceof Incomparable ? error.why : otherwise)
}

/** Thrown for a change that does not fit the current text. */
class Unfit extends Error {}

async function fitted<Change> (make: () => Promise<Change>): Promise<Change> {
  try {
    return await make()
  } catch (error) {
    throw error instanceof ToolError ? new Unfit(error.message) : error
  }
}

function isReadable (path: string, { workspace, readable }: Pick<ForesightContext, 'workspace' | 'readable'>): boolean {
  try {
    resolveInside({ workspace, readable, approved: false }, path)
    return true
  } catch {
    return false
  }
}

async function proposalOf (
  name: string, propose: (kept: StoredDocuments) => ReturnType<NonNullable<Tool['propose']>>, kept: StoredDocuments, { compare, signal }: ForesightContext
): Promise<Foresight['change']> {
  let shown = name
  try {
    const { path, before, after, seen, isWhole = false, job } = await fitted(async () => await propose(kept))
    shown = cut(path)
    if (Math.max(Buffer.byteLength(after), Buffer.byteLength(before ?? '')) > maxFileBytes) {
      throw new Incomparable(reason('diff_text_too_large'))
    }
    // A person must have seen the new text before they agree, if necessary as a whole.
    const exact = await compare({ path: shown, before, after, isWhole }, signal)
    const compared = exact ?? await compare({ path: shown, before: null, after }, signal)
    if (compared === null) return missing(shown, reason('diff_too_many_changes'))
    const told = job === undefined ? {} : { job: exact === null ? briefly(job) : await jobOf(job, exact, { compare, signal }) }
    return { path: shown, ...compared, seen, ...told }
  } catch (error) {
    if (error instanceof Unfit) return { path: shown, note: cut(error.message), fails: error.message }
    return missingBecause(shown, error, reason('diff_unreadable'))
  }
}

/** Adds the diff of the prompts of a changed job; leaves out what is too long to be shown beside the diff. */
async function jobOf (
  job: JobChange, { diff }: { diff: string }, { compare, signal }: Pick<ForesightContext, 'compare' | 'signal'>
): Promise<JobChange> {
  if (diff.length > mostJobChars) return briefly(job)
  const [before, after] = [job.before?.prompt, job.after?.prompt]
  if (before === undefined || after === undefined || before === after) return job
  const compared = await compare({ path: 'prompt', before, after, isWhole: true }, signal)
  if (compared === null) return briefly(job)
  return { ...job, promptDiff: { text: compared.diff, ...compared.masked === undefined ? {} : { masked: compared.masked } } }
}

const briefly = ({ action, name }: JobChange): JobChange => ({ action, name })

/** Returns the text of a file; null if it does not exist. Throws ToolError when it is not text, and Incomparable when it is too large. */
async function textOf (containment: Containment, real: string): Promise<{ text: string | null, seen: FileStamp }> {
  const found = await lstat(real).catch(ignoring('ENOENT', 'ENOTDIR'))
  if (found === null) return { text: null, seen: noFile }
  if (found.isFile() && found.size > maxFileBytes) throw new Incomparable(reason('diff_file_too_long', { bytes: found.size }))
  const { bytes, sizeBytes, seen } = await readText(containment, real, maxFileBytes)
  if (sizeBytes > bytes.length) throw new Incomparable(reason('diff_file_too_long', { bytes: sizeBytes }))
  return { text: bytes.toString(), seen }
}
