import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inEnglish, reason, type Reason } from '../../../reasons/index.js'
import { readProcess } from '../../ground/process/processes.js'
import { mayHoldRules } from '../instructions.js'
import { isOfOwnTime, momentNow, specialFiles, takeSpecialBits } from './special-bits.js'
import { findingId, saidOf, type Finding } from './git-findings.js'
import { OutsideCommands, overlap } from './outside-commands.js'
import { within } from '../tools/containment.js'
import { putBack } from './put-back.js'
import {
  createRecords, type Accepted, type BoundaryRecord, type StoredRecord, type Mark, type ProcessIdentity, type Running, type SealedFile
} from './records.js'
import { acceptedFile, ownRules, unacceptedCommand } from './rules-change.js'
import { answeredSockets } from './sockets.js'
import { TextCache } from './texts.js'
import { sealOfFile, Views, type View, type ViewsOptions } from './folder-views.js'

/** Returns the folder where a service keeps records of what commands have left in workspaces. */
export const boundaryFolder = (stateDir: string): string => join(stateDir, 'boundary')

export interface BoundaryOptions extends ViewsOptions {
  /** Folder of the records; no confined command can see it. */
  folder: string
}

/** What a command has left although it must not. Sentences and paths for a person. */
export interface Leftovers {
  /** What was restored or removed. */
  undone: string[]
  /** What remains, and needs permission before git runs outside the sandbox. */
  suspect: string[]
  /** Files that agents follow as instructions. */
  instructions: string[]
  /** Files that would have run as the service's user or group: those bits were taken away. */
  lowered: string[]
}

/** A command, or another writer, that is being watched. */
export interface Watch {
  /** Repositories in the folder, whose places from which git takes programs have to be read-only. */
  repositories: readonly string[]
  /** Sockets in the folder at which programs outside the sandbox answer, which have to be hidden in it. */
  sockets: readonly string[]
  /** Compares the folder, undoes changes, and records what needs permission on disk. */
  end (): Promise<Leftovers>
}

/** Something in a folder that a person has to look at. */
export interface Suspect { record: string | null, finding: Finding, said: Reason }

/** How many repositories get mounts of their own: each makes the start of a command slower. */
const mostHeld = 24
const mostMade = 10_000

/** Records that belong to commands of this process. */
const live = new Set<string>()

/**
 * Ensures that commands in the sandbox leave nothing behind that a later git outside it would run without permission: compares folders
 * before and after, by what makes git act and not by what a command claims to do.
 */
export class Boundary {
  readonly #records: ReturnType<typeof createRecords>
  readonly #views: Views
  readonly #outside = new OutsideCommands()
  /** Repositories that commands have made, for example in tests. They get no mounts, so that commands can still remove them. */
  readonly #made = new Set<string>()
  readonly #self: ProcessIdentity = { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks ?? 0 }

  constructor (readonly options: BoundaryOptions) {
    this.#records = createRecords(options.folder)
    this.#views = new Views(options)
  }

  /**
   * Call it before a command runs in the sandbox, or anything else writes to a folder without permission. It records that before it
   * resolves: after a kill, the next caller makes the comparison.
   *
   * @param runs whether it is a command, which can create programs
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
          // If that failed, the next caller makes the comparison.
          live.delete(id)
        }
      }
    }
  }

  /** Records that a command runs outside the sandbox, until the returned function is called. */
  runsOutside (workspace: string): () => void {
    return this.#outside.begin(workspace)
  }

  /** Returns what a person has to look at before anything runs outside the sandbox in this folder; `workspace` null = in any folder. */
  async suspects (workspace: string | null): Promise<Suspect[]> {
    const found: Suspect[] = []
    const views = new Map<string, Set<string>>()
    const present = async (path: string): Promise<Set<string>> => {
      const known = views.get(path) ?? new Set((await this.#views.look(path)).findings.map(findingId))
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
        // Without a code it cannot be compared with what is there now, so it is shown.
        const stays = record.findings.filter((finding) =>
          finding.uncertain === true || finding.said === undefined || there.has(findingId(finding)))
        if (stays.length === 0) this.#records.remove(record.id)
        for (const finding of stays) found.push({ record: record.id, finding, said: saidOf(record.workspace, finding) })
      }
    }
    return found
  }

  /** Called when a person has looked at these, exactly as they were shown. */
  async seen (shown: readonly Suspect[]): Promise<void> {
    const seen = new Set(shown.map(({ finding }) => findingId(finding)))
    for (const record of this.#records.all()) {
      if (record.kind !== 'mark') continue
      const left = record.findings.filter((finding) => !seen.has(findingId(finding)))
      if (left.length === record.findings.length) continue
      if (left.length > 0) {
        await (await this.#records.add({ kind: 'mark', workspace: record.workspace, findings: left } satisfies Mark)).synced
      }
      this.#records.remove(record.id)
    }
  }

  /** Called when a person has accepted changed rules. */
  accepted (ids: readonly string[]): void {
    for (const id of ids) {
      const file = acceptedFile(id)
      if (file === null) this.#records.remove(id)
      // If it fails, the question is asked again.
      else void this.#accept(file).catch(() => {})
    }
  }

  /** Whether a command has changed a file that agents follow, and no person has accepted that. Call it after the file has been read. */
  isUnaccepted (path: string): boolean {
    return unacceptedCommand(this.options.folder, path, sealOfFile(path, new TextCache())) !== null
  }

  /** Returns the files that no person has accepted in their current state. `before`: the text that was accepted; null if unknown. */
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

  /** Records that a person has accepted these files as they were shown; the records are on disk when this resolves. */
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

  /** Compares the folder, undoes what can be undone, and records the rest. */
  async #end (before: View, record: StoredRecord<Running>, setBackMs: number): Promise<Leftovers> {
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

  /** Records what is new; the records are on disk when this resolves. Returns the instruction files that have changed. */
  async #keep (before: Pick<Running, 'workspace' | 'instructions' | 'rules'>, fresh: Finding[], now: View): Promise<string[]> {
    const { workspace } = before
    const changed = [...new Set([...Object.keys(before.instructions), ...Object.keys(now.instructions)])].filter((path) =>
      before.instructions[path] !== now.instructions[path])
    const own = ownRules(workspace)
    const hasChanged = before.rules !== now.rules
    const kept = this.#records.all()
    const unseen = now.unseen.filter((folder) => !kept.some((record) => record.kind === 'unseen' && within(record.workspace, folder)))
    // A file that others override now may count later.
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

  /** Returns the records that concern a folder, or all of them. Commands that were interrupted are compared first. */
  async #relevant (workspace: string | null): Promise<Array<StoredRecord<BoundaryRecord>>> {
    const concerns = (): Array<StoredRecord<BoundaryRecord>> =>
      this.#records.all().filter((record) => workspace === null || overlap(record.workspace, workspace))
    const over = concerns().filter((record): record is StoredRecord<Running> => record.kind === 'running' && this.#isOver(record))
    for (const record of over) await this.#settle(record)
    return concerns()
  }

  #isOver ({ id, owner }: StoredRecord<Running>): boolean {
    if (owner.pid === this.#self.pid && owner.startTicks === this.#self.startTicks) return !live.has(id)
    return readProcess(owner.pid)?.startTicks !== owner.startTicks
  }

  /** Makes the comparison for a command that ended with another process. */
  async #settle (record: StoredRecord<Running>): Promise<void> {
    const [now] = await Promise.all([this.#views.look(record.workspace), this.#lower(record)])
    await this.#keep(record, now.findings.filter(freshSince(record.findings)), now)
    this.#records.remove(record.id)
  }

  /** Removes the bits that a command has set. If it hid files, a record of that, on disk when this resolves, lets later calls do it. */
  async #lower ({ workspace, since, special = null }: Running, setBackMs = 0): Promise<string[]> {
    if (since === undefined && special === null) return []
    const known = this.#records.all().filter((record) => record.kind === 'unsearched' && record.workspace === workspace)
    const { taken, isWhole } = await takeSpecialBits(workspace, { since: (since ?? 0) - setBackMs, special })
    if (isWhole) for (const { id } of known) this.#records.remove(id)
    else if (known.length === 0) await (await this.#records.add({ kind: 'unsearched', workspace })).synced
    return taken
  }
}

/** Returns the earliest beginning of this and other running commands, whose hidden files may become visible only after their end. */
const sinceBegun = (since: number, kept: ReadonlyArray<StoredRecord<BoundaryRecord>>): number =>
  Math.min(since, ...kept.flatMap((record) => record.kind === 'running' && record.since !== undefined ? [record.since] : []))

function freshSince (before: readonly Finding[]): (finding: Finding) => boolean {
  const known = new Set(before.map(findingId))
  return (finding) => finding.uncertain === true || !known.has(findingId(finding))
}
