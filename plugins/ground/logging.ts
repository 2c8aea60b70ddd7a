import { type FastifyServerOptions } from 'fastify'
import { redact, redactDeep } from '../../services/ground/redaction/index.js'
import { logFields } from '../../services/ground/tracing/current.js'

/** Wherever a secret may stand in something that is logged. */
const redacted = [
  'req.headers.authorization', 'req.headers.cookie', '*.password', '*.apiKey', '*.api_key', '*.token', '*.authorization', '*.cookie',
  'err.config', 'err.requestBodyValues', 'err.responseHeaders'
]

/** By name, what is known to be secret; by its looks, what got into a log without anybody's intention. */
export function loggerOptions (level: string, stream: { write: (line: string) => void } = process.stdout): FastifyServerOptions['logger'] {
  return {
    level,
    // Written as `console` writes, whose errors are none of the service.
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
