import { Type, type Static } from '@sinclair/typebox'
import { nullable, oneOf, text } from './forms.js'

/** A scheduled job as a person is shown it before they decide. */
export type JobFacts = Static<typeof jobFactsForm>
const jobFactsForm = Type.Object({
  name: text,
  kind: oneOf('cron', 'interval', 'once', 'hook'),
  /** The schedule as it was typed, and in English words if it has some. */
  schedule: text,
  words: nullable(text),
  zone: text,
  /** The next times, ISO 8601; none unless it is on. */
  nextRuns: Type.Array(text),
  state: oneOf('scheduled', 'paused', 'completed', 'error'),
  deliver: text,
  model: nullable(text),
  skills: Type.Array(text),
  workspace: nullable(text),
  ask: oneOf('deny', 'wait'),
  prompt: text
})

/** What a call does to a job. Without `before` it is new, without `after` it is removed; a change too long to be shown has neither. */
export type JobChange = Static<typeof jobChangeForm>
export const jobChangeForm = Type.Object({
  action: oneOf('create', 'update', 'pause', 'resume', 'remove'), name: text,
  before: Type.Optional(jobFactsForm), after: Type.Optional(jobFactsForm),
  /** The unified diff of the prompts, if there are two; `masked` as in a Foresight. */
  promptDiff: Type.Optional(Type.Object({ text, masked: Type.Optional(text) }))
})
