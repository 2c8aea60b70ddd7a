import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../ground/errors.js'
import { type Finding } from './git-findings.js'

/** The state of a folder before a confined command, which is running there or was killed. */
export interface Running {
  kind: 'running'
  workspace: string
  owner: ProcessIdentity
  findings: Finding[]
  /** Seals of the instruction files, by path. */
  instructions: Record<string, string>
  /** Folders that could not be inspected; absent in records of older versions. */
  unseen?: readonly string[]
  /**
   * Files with a set-user or set-group bit that have changed since this time come from this command, or from one that ran at the same time.
   * Absent if the writer was not a command.
   */
  since?: number
  /** Identifies the files that existed before, if `since` cannot tell them apart. */
  special?: readonly string[] | null
  /** The rules that turns in this folder receive; null = none. */
  rules: string | null
}
/** What confined commands have left, and no person has looked at yet. */
export interface Mark { kind: 'mark', workspace: string, findings: Finding[] }
/**
 * A file of rules, or of a slash command, that a confined command has changed. Its earlier text (`before`, if known) applies until a person
 * accepts the new one.
 */
export interface RulesChange { kind: 'rules', workspace: string, path: string, before: string | null }

/**
 * Confined commands have run here, and the files below this folder were not inspected, so they may have written any of them. `ownSeen`:
 * except rules and slash commands of this folder itself, which were compared.
 */
interface Unseen { kind: 'unseen', workspace: string, ownSeen: boolean }
/**
 * A command has run here, and not all files could be inspected afterwards: a file that becomes visible may be older than the next command.
 */
interface Unsearched { kind: 'unsearched', workspace: string }
/** A person has accepted this file with the content of this seal. `text`: that content, for showing a difference later. */
export interface Accepted { kind: 'accepted', workspace: string, path: string, seal: string, text?: string | null, twin?: string }

/** A file that applies only with the content that a person has accepted. */
export interface SealedFile {
  path: string
  /** Identifies the content; null if nothing does, so that permission is asked for each time. */
  seal: string | null
  /** The content; null if it cannot be shown, for which `note` gives the reason. */
  text: string | null
  note: string
  /** A name that this file shares with its copies in other work trees of the repository, for which acceptance of the content counts too. */
  twin?: string
}

export type BoundaryRecord = Running | Mark | RulesChange | Unseen | Unsearched | Accepted
/** A stored record; ids sort by time. */
export type StoredRecord<T extends BoundaryRecord> = T & { id: string }

/** Distinguishes a process from a later one with the same number. */
export interface ProcessIdentity { pid: number, startTicks: number }

/** How often the folder is listed at most, if records disappear meanwhile. */
const mostAttempts = 5
const namePattern = /^\d{14}-[0-9a-f]{12}\.json$/

/**
 * Keeps records in a folder of the service's state, one file each, which is written once, as a whole, and removed later. Several processes
 * can therefore share the folder. Confined commands cannot see it.
 */
export function createRecords (folder: string) {
  let last = 0

  return {
    /**
     * Resolves when the record is written and survives the end of this process; `synced` resolves when it is on disk.
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

    /** Returns all records, oldest first. A partly written record is ignored, because its command had not begun. */
    all (): Array<StoredRecord<BoundaryRecord>> {
      for (let attempts = 1; ; attempts++) {
        const found = readAll(folder)
        // A record that has disappeared may have been replaced by others, which did not exist when the folder was listed.
        if (!found.isMoving || attempts === mostAttempts) return found.records
      }
    }
  }
}

function readAll (folder: string): { records: Array<StoredRecord<BoundaryRecord>>, isMoving: boolean } {
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
