import { reasonOf, type Foresight } from '../../agent/protocol.js'
import { type JobChange, type JobFacts } from '../../agent/index.js'
import { maskedShowing, type Showing } from './showing.js'
import { mostShownChars } from './texts.js'

/** Returns the keys that say what a call would do, for approvals and for the frames of calls. Frames go to every viewer. */
export function foresightToWire (foresight: Foresight | undefined, showing: Showing = maskedShowing()) {
  if (foresight === undefined) return {}
  const { change, command, request } = foresight
  return {
    ...(change === undefined ? {} : changeToWire(change, showing)),
    ...(command === undefined
      ? {}
      : {
          command_parts: command.parts.map((part) => partToWire(part, showing)), command_parts_truncated: command.isCut,
          folder: one(command.folder, showing), sandboxed: command.isConfined,
          ...command.limitedBy === undefined ? {} : { limited_by: command.limitedBy }
        }),
    ...(request === undefined ? {} : { request: requestToWire(request, showing) })
  }
}

function changeToWire (change: NonNullable<Foresight['change']>, showing: Showing) {
  const file = one(change.path, showing)
  if ('note' in change) {
    // The reasons for a missing difference mention nothing but numbers.
    const { reason } = reasonOf({ message: change.note, reason: change.why })
    return { file, diff_note: one(change.note, showing), ...reason === undefined ? {} : { diff_note_reason: reason } }
  }
  const { text, isCut } = showing.text('diff', change.diff, { mostChars: mostShownChars.diff, masked: change.masked })
  const isTruncated = change.isCut || isCut
  return {
    file, diff: text, diff_truncated: isTruncated,
    ...change.job === undefined ? {} : { job_change: jobToWire(change.job, isTruncated, showing) }
  }
}

function jobToWire ({ action, name, before, after, promptDiff: prompts }: JobChange, isBrief: boolean, showing: Showing) {
  const called = { action, name: one(name, showing) }
  if (isBrief) return called
  return {
    ...called,
    ...before === undefined ? {} : { before: jobFactsToWire(before, showing) },
    ...after === undefined ? {} : { after: jobFactsToWire(after, showing) },
    ...prompts === undefined ? {} : { prompt_diff: showing.text('prompt_diff', prompts.text, { masked: prompts.masked }).text }
  }
}

function jobFactsToWire (job: JobFacts, showing: Showing) {
  const { name, kind, schedule, words, zone, nextRuns, state, deliver, model, skills, workspace, ask, prompt } = job
  const see = (text: string): string => one(text, showing)
  return {
    name: see(name), kind, schedule: see(schedule), ...words === null ? {} : { words: see(words) }, zone, next_runs: nextRuns, state,
    deliver: see(deliver), ...model === null ? {} : { model: see(model) }, ...skills.length === 0 ? {} : { skills: skills.map(see) },
    ...workspace === null ? {} : { workspace: see(workspace) }, ask, prompt: see(prompt)
  }
}

function partToWire ({ program, args }: { program: string, args: string[] }, showing: Showing): { program: string, args: string[] } {
  const [shown = '', ...rest] = showing.pieces([program, ...args], ' ')
  return { program: shown, args: rest }
}

/** A credential in a query is recognised by the address before it, so both are masked together. */
function requestToWire ({ method, scheme, host, path }: NonNullable<Foresight['request']>, showing: Showing) {
  const [, shown = ''] = showing.pieces([`${scheme}://${host}`, path], '')
  return { method, scheme, host: one(host, showing), path: shown }
}

const one = (text: string, showing: Showing): string => showing.pieces([text], '')[0] ?? ''
