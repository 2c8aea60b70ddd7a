import { join } from 'node:path'
import { type Clock } from '../../ground/time/clock.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { codeOf } from '../../ground/errors.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { editFile } from '../../ground/home/file-edits.js'
import { readHomeFile } from '../../ground/home/home-file.js'
import { type Log } from '../../ground/log.js'
import { parseJson } from '../../ground/text/parse-json.js'

/** view: the agent has loaded it; use: a person has begun a message with it; patch: the agent has changed it. */
export type UsageKind = 'use' | 'view' | 'patch'
export type SkillCounts = { use_count: number, view_count: number, patch_count: number } & Record<string, unknown>

interface Note { name: string, kind: UsageKind, at: string }

const writeAfterMs = 1_000
const mostSkills = 5_000

/**
 * Counts how often skills are used, in `skills/.usage.json` of a profile's home. Counts are written a moment later, so that no request
 * waits for them; those not yet written are lost if the process is killed.
 */
export class SkillUsage {
  readonly #waiting = new Map<string, Note[]>()
  /** The notes that are being written, and the new text of the file as soon as it is known. */
  readonly #writing = new Map<string, { notes: Note[], text: string | null }>()
  readonly #inTurn = createQueue()
  #timer: NodeJS.Timeout | undefined

  constructor (readonly options: { clock: Clock, log: Log }) {}

  note (home: string, name: string, kind: UsageKind): void {
    const waiting = this.#waiting.get(home) ?? []
    waiting.push({ name, kind, at: new Date(this.options.clock.now()).toISOString() })
    this.#waiting.set(home, waiting)
    this.#timer ??= setTimeout(() => { void this.flush() }, writeAfterMs).unref()
  }

  /** Returns the counts, including those not written yet. A file that cannot be read counts as empty. */
  read (home: string): Map<string, SkillCounts> {
    const waiting = this.#waiting.get(home) ?? []
    const writing = this.#writing.get(home)
    if (writing !== undefined && writing.text !== null) return counted(writing.text, waiting)
    const found = readHomeFile(fileOf(home))
    return counted(found !== undefined && 'text' in found ? found.text : '', [...writing?.notes ?? [], ...waiting])
  }

  /** Writes the pending counts. Never rejects. */
  async flush (): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const home of [...this.#waiting.keys()]) await this.#inTurn(home, async () => await this.#write(home))
  }

  async #write (home: string): Promise<void> {
    const writing: { notes: Note[], text: string | null } = { notes: this.#waiting.get(home) ?? [], text: null }
    this.#waiting.delete(home)
    this.#writing.set(home, writing)
    try {
      await editFile(fileOf(home), (text) => {
        writing.text = `${JSON.stringify(Object.fromEntries(counted(text, writing.notes)), null, 2)}\n`
        return writing.text
      }, { home })
    } catch (error) {
      this.options.log('usage counts of skills could not be written', { reason: String(codeOf(error) ?? error) })
    } finally {
      this.#writing.delete(home)
    }
  }
}

const fileOf = (home: string): string => join(home, 'skills', '.usage.json')

function counted (text: string, notes: readonly Note[]): Map<string, SkillCounts> {
  const counts = new Map<string, SkillCounts>()
  for (const [name, value] of Object.entries(fieldsOf(parseJson(text))).slice(0, mostSkills)) {
    if (isRecord(value)) counts.set(name, countsOf(value))
  }
  for (const { name, kind, at } of notes) {
    const before = counts.get(name) ?? countsOf({})
    const key = `${kind}_count` as const
    counts.set(name, { ...before, [key]: before[key] + 1, last_used_at: at })
  }
  return counts
}

function countsOf (value: Record<string, unknown>): SkillCounts {
  return {
    ...value, use_count: whole(value['use_count']), view_count: whole(value['view_count']), patch_count: whole(value['patch_count'])
  }
}

const whole = (value: unknown): number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
