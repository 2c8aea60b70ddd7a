import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inEnglish, reason, type Reason } from '../../../reasons/index.js'
import { readProcess } from '../../ground/process/processes.js'
import { mayHoldRules } from '../instructions.js'
import { isOfOwnTime, momentNow, specialFiles, takeSpecialBits } from './bits.js'
import { sameFinding, saidOf, type Finding } from './git-findings.js'
import { OutsideCommands, overlap } from './outside.js'
import { within } from '../tools/containment.js'
import { putBack } from './put-back.js'
import {
  createRecords, type Accepted, type BoundaryRecord, type Kept, type Mark, type ProcessIdentity, type Running, type SealedFile
} from './records.js'
import { acceptedFile, ownRules } from './rules-change.js'
import { answeredSockets } from './sockets.js'
import { Views, type View, type ViewsOptions } from './views.js'

/** Where a service keeps what commands have left in workspaces. */
export const boundaryFolder = (stateDir: string): string => join(stateDir, 'boundary')

export interface BoundaryOptions extends ViewsOptions {
  /** Where records are kept; no confined command can see it. */
  folder: string
}

/** What a command has left that it should not have. Sentences for a person. */
export interface Left {
  /** What was put back or removed. */
  undone: string[]
  /** What is there, and is asked about before git runs outside the sandbox. */
  suspect: string[]
  /** Files that agents take for instructions. */
  instructions: string[]
  /** Files that would have run as the service's user or group: those bits were taken away. */
  lowered: string[]
}

/** Between the beginning and the end of what is watched. */
export interface Watch {
  /** Repositories in the folder, to be made read-only where git takes programs from. */
  repositories: readonly string[]
  /** Sockets in the folder behind which programs outside the sandbox answer, not to be seen inside. */
  sockets: readonly string[]
  /** Compares, undoes, and keeps on disk what has to be asked about. */
  end (): Promise<Left>
}

/** Something in a folder that a person has to look at. */
export interface Suspect { record: string | null, finding: Finding, said: Reason }

/** Repositories with mounts of their own: each costs the start of a command some. */
const mostHeld = 24
const mostMade = 10_000

/** Records that belong to commands of this very process. */
const live = new Set<string>()

/**
 * Sees to it that what runs inside the sandbox leaves nothing behind that a later git outside of it would run: folders
 * are looked at before and after, by what makes git act and not by what a command says it does.
 */
export class Boundary {
  readonly #records: ReturnType<typeof createRecords>
  readonly #views: Views
  readonly #outside = new OutsideCommands()
  /** Repositories that commands have made: a test's, say, that has to remain removable. */
  readonly #made = new Set<string>()
  readonly #self: ProcessIdentity = { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks ?? 0 }

  constructor (readonly options: BoundaryOptions) {
    this.#records = createRecords(options.folder)
    this.#views = new Views(options)
  }

  /**
   * To be called before a command runs in the sandbox, or anything else writes in a folder that nobody was asked about.
   * That it runs is on record before this resolves: a kill in the middle leaves the comparison to whoever comes next.
   *
   * @param runs whether it is a command, which can make programs
   */
  async begin (workspace: string, signal: AbortSignal, runs = true): Promise<Watch> {
    await this.#outside.ended(workspace, signal)
    const kept = await this.#relevant(workspace)
    const isTold = isOfOwnTime(workspace) && !kept.some(({ kind }) => kind === 'unsearched')
    const moment = momentNow()
    const [before, special] = await Promise.all([this.#views.look(workspace), runs && !isTold ? specialFiles(workspace) : null])
    const { findings, instructions, rules, unseen } = before
    const record: Running = {
      kind: 'running', workspace, owner: this.#self, findings, instructions, rules, unseen, special,
      ...runs ? { since: sinceBegun(moment.since, kept) } : {}
    }
    const sockets = runs ? await answeredSockets(before.sockets) : []
    const { id, synced } = await this.#records.add(record)
    live.add(id)
    if (runs) await moment.passed()
    return {
      repositories: before.repositories.filter((path) => !this.#made.has(path)).slice(0, mostHeld),
      sockets,
      end: async () => {
        try {
          await synced
          return await this.#end(before, { ...record, id }, moment.setBackMs())
        } finally {
          // If that failed, whoever comes next makes the comparison.
          live.delete(id)
        }
      }
    }
  }

  /** A command runs outside the sandbox until the returned function is called. */
  runsOutside (workspace: string): () => void {
    return this.#outside.begin(workspace)
  }

  /** What a person has to look at before anything runs outside the sandbox in this folder; null = in any folder. */
  async suspects (workspace: string | null): Promise<Suspect[]> {
    const found: Suspect[] = []
    const views = new Map<string, Set<string>>()
    const present = async (path: string): Promise<Set<string>> => {
      const known = views.get(path) ?? new Set((await this.#views.look(path)).findings.map(sameFinding))
      views.set(path, known)
      return known
    }
    for (const record of await this.#relevant(workspace)) {
      if (record.kind === 'running') {
        found.push({
          record: null, finding: { path: record.workspace, what: '', seal: record.id },
          said: reason('git_running')
        })
      } else if (record.kind === 'mark' && lstatSync(record.workspace, { throwIfNoEntry: false }) !== undefined) {
        const there = await present(record.workspace)
        const stays = record.findings.filter((finding) => finding.uncertain === true || there.has(sameFinding(finding)))
        if (stays.length === 0) this.#records.remove(record.id)
        for (const finding of stays) found.push({ record: record.id, finding, said: saidOf(record.workspace, finding) })
      }
    }
    return found
  }

  /** A person has looked at these, exactly as they were shown. */
  async seen (shown: readonly Suspect[]): Promise<void> {
    const seen = new Set(shown.map(({ finding }) => sameFinding(finding)))
    for (const record of this.#records.all()) {
      if (record.kind !== 'mark') continue
      const left = record.findings.filter((finding) => !seen.has(sameFinding(finding)))
      if (left.length === record.findings.length) continue
      if (left.length > 0) {
        await (await this.#records.add({ kind: 'mark', workspace: record.workspace, findings: left } satisfies Mark)).synced
      }
      this.#records.remove(record.id)
    }
  }

  /** A person has accepted changed rules. */
  accepted (ids: readonly string[]): void {
    for (const id of ids) {
      const file = acceptedFile(id)
      if (file === null) this.#records.remove(id)
      // Without it the question is asked again.
      else void this.#accept(file).catch(() => {})
    }
  }

  /** Of these files those that no person has accepted as they are, with what each said when it was; null: that is not known. */
  unaccepted (files: readonly SealedFile[]): Array<SealedFile & { before: string | null }> {
    const records = this.#records.all().filter((record) => record.kind === 'accepted')
    const accepted = new Map(records.map((record) => [record.path, record]))
    const twins = new Map(records.map((record) => [record.twin, record]))
    const isAccepted = ({ path, seal, twin }: SealedFile): boolean =>
      accepted.get(path)?.seal === seal || (twin !== undefined && records.some((record) => record.twin === twin && record.seal === seal))
    return files.filter((file) => file.seal === null || !isAccepted(file))
      .map((file) => ({
        ...file, before: (accepted.get(file.path) ?? (file.twin === undefined ? undefined : twins.get(file.twin)))?.text ?? null
      }))
  }

  /** A person has accepted these files as they were shown; on disk when this resolves. */
  async acceptFiles (files: readonly SealedFile[]): Promise<void> {
    for (const {
      path, seal, text, twin
    } of files) if (seal !== null) await this.#accept({ path, seal, text, ...twin === undefined ? {} : { twin } })
  }

  async #accept (file: Pick<Accepted, 'path' | 'seal' | 'text' | 'twin'>): Promise<void> {
    const { path } = file
    const older = this.#records.all().filter((record) => record.kind === 'accepted' && record.path === path)
    await (await this.#records.add({ kind: 'accepted', workspace: dirname(path), ...file })).synced
    for (const { id } of older) this.#records.remove(id)
  }

  /** Compares, undoes what can be undone, and keeps the rest. */
  async #end (before: View, record: Kept<Running>, setBackMs: number): Promise<Left> {
    const { id, workspace } = record
    const isFresh = freshSince(before.findings)
    const [seen, lowered] = await Promise.all([this.#views.look(workspace), this.#lower(record, setBackMs)])
    let now = seen
    const undone = putBack(before, now.findings.filter(isFresh))
    if (undone.length > 0) now = await this.#views.look(workspace)
    const fresh = now.findings.filter(isFresh)
    const instructions = await this.#keep({ workspace, ...before }, fresh, now)
    const had = new Set(before.repositories)
    if (this.#made.size > mostMade) this.#made.clear()
    for (const repository of now.repositories) if (!had.has(repository)) this.#made.add(repository)
    this.#records.remove(id)
    const words = (finding: Finding): string => inEnglish(saidOf(workspace, finding))
    const names = (paths: string[]): string[] => paths.map((path) => path.slice(workspace.length + 1))
    return { undone: undone.map(words), suspect: fresh.map(words), instructions: names(instructions), lowered: names(lowered) }
  }

  /** Keeps what is new, on disk when this resolves. Returns the files of instructions that have changed. */
  async #keep (before: Pick<Running, 'workspace' | 'instructions' | 'rules'>, fresh: Finding[], now: View): Promise<string[]> {
    const { workspace } = before
    const changed = [...new Set([...Object.keys(before.instructions), ...Object.keys(now.instructions)])].filter((path) =>
      before.instructions[path] !== now.instructions[path])
    const own = ownRules(workspace)
    const hasChanged = before.rules !== now.rules
    const kept = this.#records.all()
    const unseen = now.unseen.filter((folder) => !kept.some((record) => record.kind === 'unseen' && within(record.workspace, folder)))
    // One that others cover may count later on.
    const known = new Set(kept.flatMap((record) => record.kind === 'rules' ? [record.path] : []))
    const rules = changed.filter((path) => path !== own && (mayHoldRules(path) || (this.#views.isCommand(path) && !known.has(path))))
    if (hasChanged || changed.includes(own)) rules.push(own)
    const added = [
      ...fresh.length > 0 ? [await this.#records.add({ kind: 'mark', workspace, findings: fresh })] : [],
      ...await Promise.all(
        unseen.map(async (folder) => await this.#records.add({ kind: 'unseen', workspace: folder, ownSeen: folder === workspace }))
      ),
      ...await Promise.all(
        rules.map(async (path) => await this.#records.add({ kind: 'rules', workspace, path, before: path === own ? before.rules : null }))
      )
    ]
    await Promise.all(added.map(({ synced }) => synced))
    return [...new Set([...changed, ...rules])]
  }

  /** The records that concern a folder, or all; of commands that were cut off there are none among them. */
  async #relevant (workspace: string | null): Promise<Array<Kept<BoundaryRecord>>> {
    const concerns = (): Array<Kept<BoundaryRecord>> =>
      this.#records.all().filter((record) => workspace === null || overlap(record.workspace, workspace))
    const over = concerns().filter((record): record is Kept<Running> => record.kind === 'running' && this.#isOver(record))
    for (const record of over) await this.#settle(record)
    return concerns()
  }

  #isOver ({ id, owner }: Kept<Running>): boolean {
    if (owner.pid === this.#self.pid && owner.startTicks === this.#self.startTicks) return !live.has(id)
    return readProcess(owner.pid)?.startTicks !== owner.startTicks
  }

  /** Compares what the end of another process has cut off. */
  async #settle (record: Kept<Running>): Promise<void> {
    const [now] = await Promise.all([this.#views.look(record.workspace), this.#lower(record)])
    await this.#keep(record, now.findings.filter(freshSince(record.findings)), now)
    this.#records.remove(record.id)
  }

  /** Takes away the bits that a command has left. What it hid is left to whoever sees it, which is on disk when this resolves. */
  async #lower ({ workspace, since, special = null }: Running, setBackMs = 0): Promise<string[]> {
    if (since === undefined && special === null) return []
    const known = this.#records.all().filter((record) => record.kind === 'unsearched' && record.workspace === workspace)
    const { taken, isWhole } = await takeSpecialBits(workspace, { since: (since ?? 0) - setBackMs, special })
    if (isWhole) for (const { id } of known) this.#records.remove(id)
    else if (known.length === 0) await (await this.#records.add({ kind: 'unsearched', workspace })).synced
    return taken
  }
}

/** What one that still runs has hidden may come into sight only after its end. */
const sinceBegun = (since: number, kept: ReadonlyArray<Kept<BoundaryRecord>>): number =>
  Math.min(since, ...kept.flatMap((record) => record.kind === 'running' && record.since !== undefined ? [record.since] : []))

function freshSince (before: readonly Finding[]): (finding: Finding) => boolean {
  const known = new Set(before.map(sameFinding))
  return (finding) => finding.uncertain === true || !known.has(sameFinding(finding))
}
