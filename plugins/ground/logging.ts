import { type FastifyServerOptions } from 'fastify'
import { redact, redactDeep } from '../../services/ground/redaction/index.js'
import { logFields } from '../../services/ground/tracing/current.js'

/** The fields of log entries that may contain a secret. */
const redacted = [
  'req.headers.authorization', 'req.headers.cookie', '*.password', '*.apiKey', '*.api_key', '*.token', '*.authorization', '*.cookie',
  'err.config', 'err.requestBodyValues', 'err.responseHeaders'
]

/** Fields that answers keep as they are, since clients need them, and that clients fill in: a key may be pasted into any of them. */
const filledIn = ['model', 'path', 'workspace', 'worktree_path']

function masked (fields: Record<string, unknown>): Record<string, unknown> {
  const copy = redactDeep(fields)
  const more = filledIn.flatMap((name) => typeof copy[name] === 'string' ? [[name, redact(copy[name])]] : [])
  return more.length === 0 ? copy : { ...copy, ...Object.fromEntries(more) }
}

/** Returns logger options that redact fields by name, and secrets that got into a text by accident by their form. */
export function loggerOptions (level: string, stream: { write: (line: string) => void } = process.stdout): FastifyServerOptions['logger'] {
  return {
    level,
    // The stream that `console` writes to, so that errors of writing do not affect the service.
    stream,
    redact: redacted,
    formatters: { log: masked },
    mixin: logFields,
    hooks: {
      logMethod (args, method) {
        method.apply(this, args.map((arg) => typeof arg === 'string' ? redact(arg) : arg) as typeof args)
      }
    }
  }
}
