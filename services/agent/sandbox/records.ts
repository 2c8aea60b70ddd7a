import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../ground/errors.js'
import { type Finding } from './git-findings.js'

/** A confined command runs in this folder, or was killed there: what there was before it began. */
export interface Running {
  kind: 'running'
  workspace: string
  owner: ProcessIdentity
  findings: Finding[]
  /** Seals of the instruction files by path. */
  instructions: Record<string, string>
  /** Folders that could not be looked through; records of older versions have none. */
  unseen?: readonly string[]
  /**
   * Files with a set-user or set-group bit that have changed since then are its own, or of one that ran beside it; none: it was no command.
   */
  since?: number
  /** Where that does not tell: what tells those that were there. */
  special?: readonly string[] | null
  /** The rules that turns in this folder are given; null = none. */
  rules: string | null
}
/** What confined commands have left, and nobody has looked at. */
export interface Mark { kind: 'mark', workspace: string, findings: Finding[] }
/**
 * A file of rules, or a command, that a confined command has changed: what it said before (`before`, where that is known)
 * counts until a person accepts the new text.
 */
export interface RulesChange { kind: 'rules', workspace: string, path: string, before: string | null }

/**
 * Confined commands have run here, and what is below this folder was not looked through: of no file below is it known who wrote it.
 * `ownSeen`: but for rules and commands of this folder itself, which were compared.
 */
interface Unseen { kind: 'unseen', workspace: string, ownSeen: boolean }
/**
 * A command has run here, and not all of its files could be looked at afterwards: what comes into sight may be older than the next command.
 */
interface Unsearched { kind: 'unsearched', workspace: string }
/** A person has accepted this file, as its seal tells; `text`: what it said, where a difference is to be shown later on. */
export interface Accepted { kind: 'accepted', workspace: string, path: string, seal: string, text?: string | null, twin?: string }

/** A file that counts only as a person has accepted it. */
export interface SealedFile {
  path: string
  /** Tells one content from another; null: nothing does, so that it is asked about each time. */
  seal: string | null
  /** Null: it cannot be shown, as `note` says. */
  text: string | null
  note: string
  /** The same for this file in another work tree of its repository, where the content counts as well. */
  twin?: string
}

export type BoundaryRecord = Running | Mark | RulesChange | Unseen | Unsearched | Accepted
/** `id` tells their order. */
export type Kept<T extends BoundaryRecord> = T & { id: string }

/** Tells a process from a later one with its number. */
export interface ProcessIdentity { pid: number, startTicks: number }

/** How often the folder is listed again when a record has gone meanwhile. */
const mostAttempts = 5
const namePattern = /^\d{14}-[0-9a-f]{12}\.json$/

/**
 * Records in a folder of the service's state, one file each: written once, whole, and removed. So several processes may
 * keep theirs side by side. Confined commands cannot see the folder.
 */
export function createRecords (folder: string) {
  let last = 0

  return {
    /**
     * Resolves when the record is written, so that it outlives this process; `synced` resolves when it is on disk.
     * Rejects when it cannot be written.
     */
    async add (record: BoundaryRecord): Promise<{ id: string, synced: Promise<void> }> {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      last = Math.max(Date.now(), last + 1)
      const id = `${String(last).padStart(14, '0')}-${randomBytes(6).toString('hex')}.json`
      const handle = await open(join(folder, id), 'wx', 0o600)
      try {
        await handle.writeFile(JSON.stringify(record))
      } catch (error) {
        await handle.close()
        rmSync(join(folder, id), { force: true })
        throw error
      }
      return { id, synced: sync(handle) }
    },

    remove (id: string): void {
      rmSync(join(folder, id), { force: true })
    },

    /** Oldest first. What was cut off while it was written says nothing: its command had not begun. */
    all (): Array<Kept<BoundaryRecord>> {
      for (let attempts = 1; ; attempts++) {
        const found = readAll(folder)
        // A record that has gone meanwhile may have left others, which were not there when the folder was listed.
        if (!found.isMoving || attempts === mostAttempts) return found.records
      }
    }
  }
}

function readAll (folder: string): { records: Array<Kept<BoundaryRecord>>, isMoving: boolean } {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { records: [], isMoving: false } // nothing was ever kept
    throw error
  }
  let isMoving = false
  const records = names.filter((name) => namePattern.test(name)).sort().flatMap((id) => {
    try {
      const record: BoundaryRecord = JSON.parse(readFileSync(join(folder, id), 'utf8'))
      return [{ ...record, id }]
    } catch (error) {
      if (codeOf(error) === 'ENOENT') isMoving = true
      return [] // it is being written, or has just been removed
    }
  })
  return { records, isMoving }
}

async function sync (handle: FileHandle): Promise<void> {
  try {
    await handle.datasync()
  } finally {
    await handle.close()
  }
}
