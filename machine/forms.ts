import { Type, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { controlForm, controlForms, toHostForms, type Control, type RunSpec } from '../services/agent/protocol.js'
import { runSpecForm } from '../services/agent/run-spec.js'
import { type ToMachine } from '../services/agent/machine-messages.js'
import { fieldsOf } from '../services/ground/fields.js'
import { isKeyOf } from '../services/ground/one-of.js'

// A process of a profile trusts whoever has started it. What comes over the network is looked at before it gets there.

const { aux, mcp, ping, reply } = toHostForms
const said: Partial<Record<ToMachine['type'], TSchema>> = { aux, mcp, ping, reply, kill: Type.Object({}) }

/** What a service wants to be run; null for what is nothing of the kind. Of another release it may hold anything beside its number. */
export function readStart (message: unknown): RunSpec | { v: number } | null {
  const { spec: wanted } = fieldsOf(message)
  if (Value.Check(runSpecForm, wanted)) return wanted
  return Value.Check(Type.Object({ v: Type.Integer() }), wanted) ? wanted : null
}

/** Null for what is no control. What it is to do may be of another release: its run says that it does not support that. */
export function readControl (message: unknown): Control | null {
  const { control: wanted } = fieldsOf(message)
  if (!Value.Check(controlForm, wanted)) return null
  const { op } = wanted
  return !isKeyOf(controlForms, op) || Value.Check(controlForms[op], wanted) ? wanted as unknown as Control : null
}

/** Null for what is nothing that a machine knows. */
export function readSaid (message: unknown): ToMachine | null {
  const type = fieldsOf(message).type
  // To types, what was held against one form of several has none of them.
  const form = isKeyOf(said, type) ? said[type] : undefined
  return form !== undefined && Value.Check(form, message) ? message as ToMachine : null
}
