import { type FastifyServerOptions } from 'fastify'
import { redact, redactDeep } from '../../services/ground/redaction/index.js'
import { logFields } from '../../services/ground/tracing/current.js'

/** Every place where a logged object may hold a secret. */
const redacted = [
  'req.headers.authorization', 'req.headers.cookie', '*.password', '*.apiKey', '*.api_key', '*.token', '*.authorization', '*.cookie',
  'err.config', 'err.requestBodyValues', 'err.responseHeaders'
]

/** Returns the logger's options. Secrets are masked by the name of their field, and by their form if they got into the log by accident. */
export function loggerOptions (level: string, stream: { write: (line: string) => void } = process.stdout): FastifyServerOptions['logger'] {
  return {
    level,
    // Written as `console` writes: its errors do not affect the service.
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
