import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isOneOf } from '../services/agent/forms.js'
import { toMachineForms } from '../services/agent/machine-messages.js'
import { controlForm, controlForms, type Control, type RunSpec } from '../services/agent/protocol.js'
import { runSpecForm } from '../services/agent/run-spec.js'
import { fieldsOf } from '../services/ground/fields.js'
import { isKeyOf } from '../services/ground/one-of.js'

// A profile's process trusts the program that started it, so messages from the network are validated before they reach it.

/** What is said to a machine without waiting for an answer. */
const { aux, mcp, ping, reply, kill } = toMachineForms
const saidForms = { aux, mcp, ping, reply, kill }

/** Reads the spec of a run; null if it is none. In a spec of another release, only the protocol version `v` is known. */
export function readStart (message: unknown): RunSpec | { v: number } | null {
  const { spec: wanted } = fieldsOf(message)
  if (Value.Check(runSpecForm, wanted)) return wanted
  return Value.Check(Type.Object({ v: Type.Integer() }), wanted) ? wanted : null
}

/** Reads a control; null if it is none. Its operation may be from another release: the run answers that it does not support it. */
export function readControl (message: unknown): Control | null {
  const { control } = fieldsOf(message)
  return isControl(control) ? control : null
}

const isControl = (value: unknown): value is Control =>
  Value.Check(controlForm, value) && (!isKeyOf(controlForms, value.op) || Value.Check(controlForms[value.op], value))

/** Reads a message to a machine; null if its type is unknown or its form is wrong. */
export const readSaid = (message: unknown) => isOneOf('type', saidForms, message) ? message : null
