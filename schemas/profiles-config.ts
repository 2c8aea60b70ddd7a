import { Type } from '@sinclair/typebox'
import { Closed, Nullable, OneOf } from './common.js'

export const ConfigError = Nullable(Type.String(), 'why config.yaml of the profile cannot be read; its previous content stays in force')

export const ConfigProblems = Type.Array(Closed({
  path: Type.String({ description: 'path of the key, such as custom_providers[0].base_url' }),
  line: Nullable(Type.Integer(), 'line, counted from 1; null if unknown'),
  level: OneOf(['error', 'warning'], 'error: the key is ignored; warning: it may be a mistake'),
  message: Type.String({ description: 'names the key and the line, never the value' })
}, { title: 'ConfigProblem' }), {
  description: 'problems of config.yaml of the profile, at most 50; empty while config_error says that it cannot be read'
})

export const ConfigSchema = {
  description: 'JSON Schema (draft 7)',
  content: {
    'application/schema+json': {
      schema: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true, description: 'Keywords of JSON Schema' })
    }
  }
}
