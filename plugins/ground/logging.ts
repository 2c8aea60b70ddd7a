import { type FastifyServerOptions } from 'fastify'
import { redact, redactDeep } from '../../services/ground/redaction/index.js'
import { logFields } from '../../services/ground/tracing/current.js'

/** The fields of log entries that may contain a secret. */
const redacted = [
  'req.headers.authorization', 'req.headers.cookie', '*.password', '*.apiKey', '*.api_key', '*.token', '*.authorization', '*.cookie',
  'err.config', 'err.requestBodyValues', 'err.responseHeaders'
]

/** Returns logger options that redact fields by name, and secrets that got into a text by accident by their form. */
export function loggerOptions (level: string, stream: { write: (line: string) => void } = process.stdout): FastifyServerOptions['logger'] {
  return {
    level,
    // The stream that `console` writes to, so that errors of writing do not affect the service.
    stream,
    redact: redacted,
    formatters: { log: redactDeep },
    mixin: logFields,
    hooks: {
      logMethod (args, method) {
        method.apply(this, args.map((arg) => typeof arg === 'string' ? redact(arg) : arg) as typeof args)
      }
    }
  }
}
