import { createPace } from '../../ground/concurrency/pace.js'
import { knownSecrets, redactAhead, redactDeep } from '../../ground/redaction/index.js'
import { type JobRow, type JobRows } from './job-rows.js'
import { type RunRows } from './run-rows.js'
import { jobToWire } from './wire.js'

export interface ViewsOptions {
  jobs: JobRows
  runs: RunRows
  /** Whether credentials are masked in what is shown. */
  isMasked: () => boolean
}

export interface JobReader { mayChange: boolean }

/** The longest text that is cached: prompts can be very long, and there can be very many jobs. */
const keptChars = 16_384

/**
 * Jobs as clients are shown them. Their texts are cached until something changes: formatting the times of a thousand jobs, and searching
 * their texts for credentials, takes hundreds of milliseconds.
 */
export class JobViews {
  readonly #kept = { shown: new Map<string, string>(), asStored: new Map<string, string>() }
  #madeFor = ''

  constructor (private readonly options: ViewsOptions) {}

  /** Returns a job; readers who may change it see the editable values unmasked, as they would be saved. */
  wire (job: JobRow, { mayChange }: JobReader): ReturnType<typeof jobToWire> {
    const wire = jobToWire(job, this.options.runs.newest(job.id))
    if (!this.options.isMasked()) return wire
    const { name, prompt, deliver, pausedReason } = job
    return mayChange ? { ...redactDeep({ ...wire, prompt: '' }), name, prompt, deliver, paused_reason: pausedReason } : redactDeep(wire)
  }

  /** Returns the jobs of a profile, oldest first, as JSON text; null: of all profiles. */
  async list (profile: string | null, reader: JobReader): Promise<string> {
    const madeFor = this.options.isMasked() ? `masked ${knownSecrets.version}` : 'plain'
    if (madeFor !== this.#madeFor) for (const kept of Object.values(this.#kept)) kept.clear()
    this.#madeFor = madeFor
    const pace = createPace()
    const texts: string[] = []
    for (const id of this.options.jobs.ids(profile)) {
      const job = this.options.jobs.find(id)
      if (job === undefined) continue
      if (!reader.mayChange && this.options.isMasked()) await redactAhead(jobToWire(job, this.options.runs.newest(id)))
      texts.push(this.#text(job, reader))
      await pace()
    }
    return `[${texts.join(',')}]`
  }

  /** Called when a job has changed or was removed. */
  forget (jobId: string): void {
    for (const kept of Object.values(this.#kept)) kept.delete(jobId)
  }

  #text (job: JobRow, reader: JobReader): string {
    const { id } = job
    const texts = this.#kept[reader.mayChange ? 'asStored' : 'shown']
    const kept = texts.get(id)
    if (kept !== undefined) return kept
    const text = JSON.stringify(this.wire(job, reader))
    if (text.length <= keptChars) texts.set(id, text)
    return text
  }
}
