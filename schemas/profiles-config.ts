import { Type } from '@sinclair/typebox'
import { Closed, Nullable, OneOf } from './common.js'

export const ConfigError = Nullable(Type.String(), 'why config.yaml of the profile cannot be read; its last valid content stays in effect')

export const ConfigProblems = Type.Array(Closed({
  path: Type.String({ description: 'path of the key, such as custom_providers[0].base_url' }),
  line: Nullable(Type.Integer(), 'line, counted from 1; null: unknown'),
  level: OneOf(['error', 'warning'], 'error: the key is ignored; warning: it may be a mistake'),
  message: Type.String({ description: 'the problem as a sentence, with the key and the line, never the value' })
}, { title: 'ConfigProblem' }), {
  description: 'problems of config.yaml of the profile, at most 50; empty while config_error is set'
})

export const ConfigSchema = {
  description: 'JSON Schema (draft 7)',
  content: {
    'application/schema+json': {
      schema: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true, description: 'keywords of JSON Schema' })
    }
  }
}
