/** A scheduled task as the text of an approval describes it. */
export interface DescribedJob {
  name: string
  /** The schedule as it was typed, or `once …`. */
  display: string
  /** The schedule in English words; null if the service has none. */
  words: string | null
  zone: string
  /** The next runs, ISO 8601. */
  runs: readonly string[]
  /** The state of a task that has no next run; null for others. */
  state: string | null
  deliver: string
  model: string | null
  skills: string | null
  folder: string | null
  /** Whether its questions wait for an answer. */
  waits: boolean
  prompt: string
}

/** A task before and after a call; `before` is null for a new task, `after` for one that is deleted. */
export interface JobChange {
  before: DescribedJob | null
  after: DescribedJob | null
  /** The diff of the prompt; null if it stays, or if there is only one. */
  promptDiff: string | null
}

const promptLine = 'Prompt:'
const fieldLine = /^(Name|When|Next|Results|Model|Skills|Folder|Questions|Last run): (.*)$/

/**
 * Reads the diff of a task, which has the whole text in one hunk. Returns null if it is anything else, such as the text of another version
 * of the service, or a change whose end is missing (`isCut`): then the diff itself has to be shown.
 */
export function jobChangeIn (diff: string, isCut: boolean): JobChange | null {
  const [, hunk = ''] = /(?:^|\n)@@ -[01],\d+ \+[01],\d+ @@\n([^]*)$/.exec(diff) ?? []
  const lines = hunk.replace(/\n$/, '').split('\n').filter((line) => !line.startsWith('\\'))
  if (!lines.every((line) => /^[ +-]/.test(line))) return null
  const before = sideOf(lines, '-')
  const after = sideOf(lines, '+')
  if (before === null || after === null || (before.job ?? after.job) === null) return null
  if (before.job === null || after.job === null) return { before: before.job, after: after.job, promptDiff: null }
  if (isCut) return null
  const promptDiff = before.job.prompt === after.job.prompt
    ? null
    : ['--- a/prompt', '+++ b/prompt', `@@ -1,${before.promptLines} +1,${after.promptLines} @@`, ...promptOf(lines), ''].join('\n')
  return { before: before.job, after: after.job, promptDiff }
}

/** Returns the lines after the one that begins the prompt on both sides. */
function promptOf (lines: readonly string[]): readonly string[] {
  return lines.slice(lines.indexOf(` ${promptLine}`) + 1)
}

/** Returns the task on one side of a diff, null if that side is empty; null if it cannot be read. */
function sideOf (lines: readonly string[], sign: '+' | '-'): { job: DescribedJob | null, promptLines: number } | null {
  const side = lines.filter((line) => line.startsWith(sign) || line.startsWith(' ')).map((line) => line.slice(1))
  if (side.length === 0) return { job: null, promptLines: 0 }
  const end = side.indexOf(promptLine)
  const fields = new Map<string, string>()
  for (const line of side.slice(0, Math.max(0, end))) {
    const [, name, value] = fieldLine.exec(line) ?? []
    if (name === undefined || value === undefined || fields.has(name)) return null
    fields.set(name, value)
  }
  const [name, next, deliver] = [fields.get('Name'), fields.get('Next'), fields.get('Results')]
  const [, display, words = null, zone] = /^(.*?)(?: \((.*)\))?, ([^,\s]+)$/.exec(fields.get('When') ?? '') ?? []
  if (name === undefined || next === undefined || deliver === undefined || display === undefined || zone === undefined) return null
  const runs = next.split(', ').filter((at) => !Number.isNaN(Date.parse(at)))
  return {
    promptLines: side.length - end - 1,
    job: {
      name, display, words, zone, runs, state: runs.length === 0 ? next : null, deliver,
      model: fields.get('Model') ?? null, skills: fields.get('Skills') ?? null, folder: fields.get('Folder') ?? null,
      waits: fields.has('Questions'), prompt: side.slice(end + 1).join('\n')
    }
  }
}
