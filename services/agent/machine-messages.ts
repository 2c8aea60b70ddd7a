import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { count, isOneOf, loosely, text, type AnyOf } from './forms.js'
import { runStandingForm, toHostForms } from './protocol.js'

// Messages between the service and the program on a machine, in addition to the protocol of hosts.

/** Header that names the process of the machine's program that sent a message, so that messages of an earlier process are ignored. */
export const instanceHeader = 'Instance'

/** A text for the log or a person. A machine may send anything in its place, or nothing: what it means counts without it. */
const sentence = Type.Optional(loosely<string>())

/** The answer to a `start`: the process that has the run, or why it was not started, as a sentence. */
export type StartAnswer = Required<Static<typeof takenForm>>
const takenForm = Type.Union([
  Type.Object({ taken: Type.Literal(true), process: text }),
  Type.Object({ taken: Type.Literal(false), reason: sentence, message: sentence })
])

/** Messages to the program on a machine itself, by type. */
export const toMachineForms = {
  ...toHostForms,
  /** The process does not answer to the service; the machine checks that itself. */
  kill: Type.Object({})
}
export type ToMachine = AnyOf<'type', typeof toMachineForms>

/** The state of a run, in the answer to a heartbeat. `taken`: number of the last event up to which the stream has accepted all. */
export type TakenStanding = Static<typeof takenStandingForm>
const takenStandingForm = Type.Object({ ...runStandingForm.properties, taken: count })

/** Messages that the program on a machine sends itself, by type, between those of a profile's process. */
const fromMachineForms = {
  /** A process has ended, and its runs with it. */
  exited: Type.Object({ process: sentence, reason: sentence }),
  /** One run is lost. */
  lost: Type.Object({ runId: text, reason: sentence, message: sentence })
}
export type FromMachine = Required<AnyOf<'type', typeof fromMachineForms>>

const words = (said: unknown): string => typeof said === 'string' ? said.slice(0, 500) : 'it does not say why'

/** Reads an answer to a `start`; null for anything else. */
export function readStartAnswer (said: unknown): StartAnswer | null {
  if (!Value.Check(takenForm, said)) return null
  return said.taken ? said : { taken: false, reason: words(said.reason), message: words(said.message) }
}

/** Reads a message that the program on a machine sends itself; null for any other message. */
export function readFromMachine (said: unknown): FromMachine | null {
  if (!isOneOf('type', fromMachineForms, said)) return null
  const reason = words(said.reason)
  return said.type === 'exited' ? { ...said, process: words(said.process), reason } : { ...said, reason, message: words(said.message) }
}
