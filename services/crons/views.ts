import { knownSecrets, redactDeep } from '../ground/redaction/index.js'
import { type JobRow, type JobRows } from './job-rows.js'
import { type RunRows } from './run-rows.js'
import { jobToWire } from './wire.js'

export interface ViewsOptions {
  jobs: JobRows
  runs: RunRows
  /** Credentials are masked in what is shown. */
  isMasked: () => boolean
}

/** Longer ones are made each time: prompts can be very long, and there can be very many jobs. */
const keptChars = 16_384

/**
 * Jobs as clients are shown them. Their texts are kept until something is another: to format the times of a thousand jobs, and to
 * look through their texts for credentials, takes hundreds of milliseconds.
 */
export class JobViews {
  readonly #kept = new Map<string, string>()
  #madeFor = ''

  constructor (private readonly options: ViewsOptions) {}

  wire (job: JobRow): ReturnType<typeof jobToWire> {
    const wire = jobToWire(job, this.options.runs.newest(job.id))
    return this.options.isMasked() ? redactDeep(wire) : wire
  }

  /** The jobs of a profile, oldest first, as JSON text; null: of all. */
  list (profile: string | null): string {
    const madeFor = this.options.isMasked() ? `masked ${knownSecrets.version}` : 'plain'
    if (madeFor !== this.#madeFor) this.#kept.clear()
    this.#madeFor = madeFor
    return `[${this.options.jobs.ids(profile).map((id) => this.#text(id)).join(',')}]`
  }

  /** Something of a job is another now, or it is gone. */
  forget (jobId: string): void {
    this.#kept.delete(jobId)
  }

  #text (id: string): string {
    const kept = this.#kept.get(id)
    if (kept !== undefined) return kept
    const text = JSON.stringify(this.wire(this.options.jobs.find(id)!))
    if (text.length <= keptChars) this.#kept.set(id, text)
    return text
  }
}
