import { Type } from '@sinclair/typebox'
import { Closed, Nullable, OneOf } from './common.js'

export const ConfigError = Nullable(Type.String(), 'why config.yaml of the profile cannot be read; what it held before goes on')

export const ConfigProblems = Type.Array(Closed({
  path: Type.String({ description: 'the key, as custom_providers[0].base_url' }),
  line: Nullable(Type.Integer(), 'counted from 1; null where nobody can say'),
  level: OneOf(['error', 'warning'], 'error: the key is ignored, as if it were not there; warning: it may be a slip'),
  message: Type.String({ description: 'with the key and the line in it, and never what the key holds' })
}, { title: 'ConfigProblem' }), {
  description: 'what of config.yaml of the profile is not in order, 50 at most; empty while config_error says that it cannot be read'
})

export const ConfigSchema = {
  description: 'JSON Schema (draft 7)',
  content: {
    'application/schema+json': {
      schema: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true, description: 'keywords of JSON Schema' })
    }
  }
}
