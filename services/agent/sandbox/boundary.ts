import { createHash, randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { readProcess } from '../../ground/process/processes.js'
import { ToolError, within } from '../tools/containment.js'
import { GitInspection, inWords, ownSettings, sameFinding, type Finding, type GitView } from './git-findings.js'
import { createRecords, type BoundaryRecord, type Kept, type Mark, type ProcessIdentity, type Running } from './records.js'
import { readRules, rulesName } from './rules-change.js'
import { putBack } from './put-back.js'
import { TextCache } from './texts.js'
import { createWalker, mostFolders } from './walk.js'

/** Where a service keeps what commands have left in workspaces. */
export const boundaryFolder = (stateDir: string): string => join(stateDir, 'boundary')

export interface BoundaryOptions {
  /** Where records are kept; no confined command can see it. */
  folder: string
  /** Folders that commands cannot write, wherever they lie: they are not looked through. */
  closed: readonly string[]
  /** The user's home; its hidden entries are not looked through either. */
  userHome?: string
  mostFolders?: number
}

/** What a command has left that it should not have. Sentences for a person. */
export interface Left {
  /** What was put back or removed. */
  undone: string[]
  /** What is there, and is asked about before git runs outside the sandbox. */
  suspect: string[]
  /** Files that agents take for instructions. */
  instructions: string[]
}

/** Between the beginning and the end of what is watched. */
export interface Watch {
  /** Repositories in the folder, to be made read-only where git takes programs from. */
  repositories: readonly string[]
  /** Compares, undoes, and keeps on disk what has to be asked about. */
  end (): Promise<Left>
}

/** Something in a folder that a person has to look at. */
export interface Suspect { record: string | null, finding: Finding, words: string }

interface View extends GitView { instructions: Record<string, string>, rules: string | null }

/** How long a confined command waits for one that runs outside the sandbox. */
const outsideLimitMs = 30_000
/** Repositories with mounts of their own: each costs the start of a command some. */
const mostHeld = 24
const mostMade = 10_000
const overlap = (one: string, other: string): boolean => within(one, other) || within(other, one)
const unnoticed = 'so what a command leaves there for git to run is not noticed'
const tooLarge = `is too large to be looked through, ${unnoticed}`

function freshSince (before: readonly Finding[]): (finding: Finding) => boolean {
  const known = new Set(before.map(sameFinding))
  return (finding) => finding.uncertain === true || !known.has(sameFinding(finding))
}

/** Records that belong to commands of this very process. */
const live = new Set<string>()

/**
 * Sees to it that what runs inside the sandbox leaves nothing behind that a later git outside of it would run: folders
 * are looked at before and after, by what makes git act and not by what a command says it does.
 */
export function createBoundary (options: BoundaryOptions) {
  const records = createRecords(options.folder)
  const walk = createWalker()
  const texts = new TextCache()
  const closed = new Set(options.closed)
  const outside = new Map<symbol, { workspace: string, ended: Promise<void> }>()
  /** Repositories that commands have made: a test's, say, that has to remain removable. */
  const made = new Set<string>()
  const self: ProcessIdentity = { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks ?? 0 }

  const isClosed = (path: string): boolean =>
    closed.has(path) || (options.userHome !== undefined && path.startsWith(`${options.userHome}/.`) && !path.slice(options.userHome.length + 1).includes('/'))

  /** Never rejects: what cannot be looked at is a finding as well. */
  async function look (workspace: string): Promise<View> {
    const rules = readRules(join(workspace, rulesName))
    const nothing = (what: string): View =>
      ({ findings: [{ path: workspace, what, seal: randomUUID(), uncertain: true }], repositories: [], present: new Set(), heads: new Map(), instructions: {}, rules })
    try {
      const folders = await walk(workspace, isClosed, options.mostFolders ?? mostFolders)
      if (folders === null) return nothing(tooLarge)
      const instructions: Record<string, string> = {}
      for (const { path, entries } of folders) {
        for (const name of entries.instructions) instructions[join(path, name)] = createHash('sha256').update(texts.read(join(path, name))?.text ?? '').digest('hex').slice(0, 32)
      }
      const own = options.userHome === undefined ? [] : ownSettings(options.userHome, texts)
      const { findings, repositories, present, heads } = new GitInspection(workspace, folders, texts, options.userHome, own)
      return { findings, repositories, present, heads, instructions, rules }
    } catch (error) {
      return nothing(`cannot be looked through (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}), ${unnoticed}`)
    }
  }

  /** Keeps what is new, on disk when this resolves. */
  async function keep (before: Pick<Running, 'workspace' | 'instructions' | 'rules'>, fresh: Finding[], now: View): Promise<string[]> {
    const { workspace } = before
    const changed = [...new Set([...Object.keys(before.instructions), ...Object.keys(now.instructions)])].filter((path) => before.instructions[path] !== now.instructions[path])
    const own = join(workspace, rulesName)
    const rules = changed.filter((path) => path.endsWith(`/${rulesName}`))
    if (before.rules !== now.rules && !rules.includes(own)) rules.push(own)
    const added = [
      ...fresh.length > 0 ? [await records.add({ kind: 'mark', workspace, findings: fresh })] : [],
      ...await Promise.all(rules.map(async (path) => await records.add({ kind: 'rules', workspace, path, before: path === own ? before.rules : null })))
    ]
    await Promise.all(added.map(({ synced }) => synced))
    return [...new Set([...changed, ...rules])]
  }

  /** Compares what the end of another process has cut off. */
  async function settle (record: Kept<Running>): Promise<void> {
    const now = await look(record.workspace)
    await keep(record, now.findings.filter(freshSince(record.findings)), now)
    records.remove(record.id)
  }

  function isOver ({ id, owner }: Kept<Running>): boolean {
    if (owner.pid === self.pid && owner.startTicks === self.startTicks) return !live.has(id)
    return readProcess(owner.pid)?.startTicks !== owner.startTicks
  }

  /** The records that concern a folder, or all; of commands that were cut off there are none among them. */
  async function relevant (workspace: string | null): Promise<Array<Kept<BoundaryRecord>>> {
    const concerns = (): Array<Kept<BoundaryRecord>> => records.all().filter((record) => workspace === null || overlap(record.workspace, workspace))
    const over = concerns().filter((record): record is Kept<Running> => record.kind === 'running' && isOver(record))
    for (const record of over) await settle(record)
    return concerns()
  }

  /** Commands outside the sandbox would run what a confined one plants beside them. */
  async function outsideEnded (workspace: string, signal: AbortSignal): Promise<void> {
    const running = [...outside.values()].filter((command) => overlap(command.workspace, workspace)).map(({ ended }) => ended)
    if (running.length === 0) return
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<'late'>((resolve) => { timer = setTimeout(resolve, outsideLimitMs, 'late') })
    const aborted = new Promise<'late'>((resolve) => { signal.addEventListener('abort', () => resolve('late'), { once: true }) })
    const late = await Promise.race([Promise.all(running), limit, aborted])
    clearTimeout(timer)
    if (late === 'late') throw new ToolError('A command outside the sandbox is still running in this folder, and nothing is run in the sandbox beside it. Call again when it has ended.')
  }

  async function end (workspace: string, before: View, id: string): Promise<Left> {
    const isFresh = freshSince(before.findings)
    let now = await look(workspace)
    const undone = putBack(before, now.findings.filter(isFresh))
    if (undone.length > 0) now = await look(workspace)
    const fresh = now.findings.filter(isFresh)
    const instructions = await keep({ workspace, ...before }, fresh, now)
    const had = new Set(before.repositories)
    if (made.size > mostMade) made.clear()
    for (const repository of now.repositories) if (!had.has(repository)) made.add(repository)
    records.remove(id)
    const words = (finding: Finding): string => inWords(workspace, finding)
    return { undone: undone.map(words), suspect: fresh.map(words), instructions: instructions.map((path) => path.slice(workspace.length + 1)) }
  }

  return {
    /**
     * To be called before a command runs in the sandbox, or anything else writes in a folder that nobody was asked about.
     * That it runs is on record before this resolves: a kill in the middle leaves the comparison to whoever comes next.
     */
    async begin (workspace: string, signal: AbortSignal): Promise<Watch> {
      await outsideEnded(workspace, signal)
      await relevant(workspace)
      const before = await look(workspace)
      const { findings, instructions, rules } = before
      const { id, synced } = await records.add({ kind: 'running', workspace, owner: self, findings, instructions, rules })
      live.add(id)
      return {
        repositories: before.repositories.filter((path) => !made.has(path)).slice(0, mostHeld),
        end: async () => {
          try {
            await synced
            return await end(workspace, before, id)
          } finally {
            // If that failed, whoever comes next makes the comparison.
            live.delete(id)
          }
        }
      }
    },

    /** A command runs outside the sandbox until the returned function is called. */
    runsOutside (workspace: string): () => void {
      const key = Symbol('command')
      let over!: () => void
      outside.set(key, { workspace, ended: new Promise((resolve) => { over = resolve }) })
      return () => {
        outside.delete(key)
        over()
      }
    },

    /** What a person has to look at before anything runs outside the sandbox in this folder; null = in any folder. */
    async suspects (workspace: string | null): Promise<Suspect[]> {
      const found: Suspect[] = []
      const views = new Map<string, Set<string>>()
      for (const record of await relevant(workspace)) {
        if (record.kind === 'running') {
          found.push({ record: null, finding: { path: record.workspace, what: '', seal: record.id }, words: 'a command in the sandbox is still running in this folder, and what it leaves is not known yet' })
        } else if (record.kind === 'mark' && lstatSync(record.workspace, { throwIfNoEntry: false }) !== undefined) {
          if (!views.has(record.workspace)) views.set(record.workspace, new Set((await look(record.workspace)).findings.map(sameFinding)))
          const there = views.get(record.workspace)!
          const stays = record.findings.filter((finding) => finding.uncertain === true || there.has(sameFinding(finding)))
          if (stays.length === 0) records.remove(record.id)
          for (const finding of stays) found.push({ record: record.id, finding, words: inWords(record.workspace, finding) })
        }
      }
      return found
    },

    /** A person has looked at these, exactly as they were shown. */
    async seen (shown: readonly Suspect[]): Promise<void> {
      const seen = new Set(shown.map(({ finding }) => sameFinding(finding)))
      for (const record of records.all()) {
        if (record.kind !== 'mark') continue
        const left = record.findings.filter((finding) => !seen.has(sameFinding(finding)))
        if (left.length === record.findings.length) continue
        if (left.length > 0) await (await records.add({ kind: 'mark', workspace: record.workspace, findings: left } satisfies Mark)).synced
        records.remove(record.id)
      }
    },

    /** A person has accepted changed rules. */
    accepted (ids: readonly string[]): void {
      for (const id of ids) records.remove(id)
    }
  }
}

export type Boundary = ReturnType<typeof createBoundary>
