import { createPace } from '../../ground/concurrency/pace.js'
import { knownSecrets, redactAhead, redactDeep } from '../../ground/redaction/index.js'
import { type JobRow, type JobRows } from './job-rows.js'
import { type RunRows } from './run-rows.js'
import { jobToWire } from './wire.js'

export interface ViewsOptions {
  jobs: JobRows
  runs: RunRows
  /** Credentials are masked in what is shown. */
  isMasked: () => boolean
}

export interface JobReader { mayChange: boolean }

/** Longer ones are made each time: prompts can be very long, and there can be very many jobs. */
const keptChars = 16_384

/**
 * Jobs as clients are shown them. Their texts are kept until something is another: to format the times of a thousand jobs, and to
 * look through their texts for credentials, takes hundreds of milliseconds.
 */
export class JobViews {
  readonly #kept = { shown: new Map<string, string>(), asStored: new Map<string, string>() }
  #madeFor = ''

  constructor (private readonly options: ViewsOptions) {}

  /** Whoever may change it sees what can be changed as it would be saved. */
  wire (job: JobRow, { mayChange }: JobReader): ReturnType<typeof jobToWire> {
    const wire = jobToWire(job, this.options.runs.newest(job.id))
    if (!this.options.isMasked()) return wire
    const { name, prompt, deliver, pausedReason } = job
    return mayChange ? { ...redactDeep({ ...wire, prompt: '' }), name, prompt, deliver, paused_reason: pausedReason } : redactDeep(wire)
  }

  /** The jobs of a profile, oldest first, as JSON text; null: of all. */
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

  /** Something of a job is another now, or it is gone. */
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
