import { type Static, type TSchema } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { commandLine } from '../services/ground/command-line.js'
import { asError, codeOf } from '../services/ground/errors.js'
import { fieldsOf } from '../services/ground/fields.js'
import { PathTooLong } from '../services/ground/network/local-socket.js'
import { CommandFailed } from './command.js'

/** The service as commands see it: one that runs, or this process in place of it. */
export interface Service {
  /** Whether a running service answers, instead of this process. */
  isRunning: boolean
  /** Resolves with the answer of a route; sends a POST if there is a body. Throws CommandFailed with the service's error message. */
  ask<T extends TSchema> (path: string, answer: T, body?: object): Promise<Static<T>>
  close (): Promise<void>
}

/** The answer of a route before it is validated. */
export interface Raw { status: number, body: unknown }

/** Codes of a connection to a service that has ended. */
const gone: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'])

/** Returns an `ask` that sends requests with `send` and validates the answers. */
export function askerOf (send: (path: string, body: object | undefined) => Promise<Raw>): Service['ask'] {
  return async (path, answer, sent) => {
    const { status, body } = await send(path, sent).catch((error: unknown) => {
      if (error instanceof PathTooLong) throw error
      throw new CommandFailed(gone.has(codeOf(error) ?? '')
        ? `The service stopped before it answered. See whether it runs again: ${commandLine('status')}`
        : `The request to the service failed: ${asError(error).message}`)
    })
    if (status >= 400) {
      const { error } = fieldsOf(body)
      throw new CommandFailed(typeof error === 'string' ? error : `The service answered with status ${status}`)
    }
    if (isOf(answer, body)) return body
    throw new CommandFailed('The running service and this program have different versions. Restart the service, then try again')
  }
}

const ajv = new Ajv({ strict: false, meta: false, validateSchema: false })
const isOf = <T extends TSchema>(schema: T, value: unknown): value is Static<T> => ajv.validate(schema, value)
