import { Type, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { controlForm, controlForms, toHostForms, type Control, type RunSpec } from '../services/agent/protocol.js'
import { runSpecForm } from '../services/agent/run-spec.js'
import { type ToMachine } from '../services/agent/machine-messages.js'
import { fieldsOf } from '../services/ground/fields.js'
import { isKeyOf } from '../services/ground/one-of.js'

// A profile's process trusts the program that started it, so messages from the network are validated before they reach it.

const { aux, mcp, ping, reply } = toHostForms
const said: Partial<Record<ToMachine['type'], TSchema>> = { aux, mcp, ping, reply, kill: Type.Object({}) }

/** Reads the spec of a run; null if it is none. In a spec of another release, only the protocol version `v` is known. */
export function readStart (message: unknown): RunSpec | { v: number } | null {
  const { spec: wanted } = fieldsOf(message)
  if (Value.Check(runSpecForm, wanted)) return wanted
  return Value.Check(Type.Object({ v: Type.Integer() }), wanted) ? wanted : null
}

/** Reads a control; null if it is none. Its operation may be from another release: the run answers that it does not support it. */
export function readControl (message: unknown): Control | null {
  const { control: wanted } = fieldsOf(message)
  if (!Value.Check(controlForm, wanted)) return null
  const { op } = wanted
  return !isKeyOf(controlForms, op) || Value.Check(controlForms[op], wanted) ? wanted as unknown as Control : null
}

/** Reads a message to a machine; null if its type is unknown or its form is wrong. */
export function readSaid (message: unknown): ToMachine | null {
  const type = fieldsOf(message).type
  // TypeScript cannot narrow the type by a form that is chosen at run time.
  const form = isKeyOf(said, type) ? said[type] : undefined
  return form !== undefined && Value.Check(form, message) ? message as ToMachine : null
}
