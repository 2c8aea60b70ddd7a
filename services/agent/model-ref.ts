import { Type } from '@sinclair/typebox'
import { type Effort } from '../providers/index.js'

/** Which model answers. Credentials never travel: the host looks the key up by `provider` in its own environment. */
export interface ModelRef {
  provider: string
  id: string
  effort?: Effort
  /** Upper bound of one answer in tokens; absent = the provider's default. */
  maxOutputTokens?: number
  /** Size of the context window in tokens, when known. */
  contextLength?: number
  /** Base address of a self-hosted endpoint found by probing; absent = as configured. */
  baseUrl?: string
  /** False: it is known to take text alone. Absent = it may see. */
  seesImages?: boolean
  /** The kind of small task that it does: how it is asked stands in that section of the profile's settings. */
  slot?: string
  /** It is no model but an agent that is spoken to by the Agent Client Protocol; `id` is one of its models. */
  isAgent?: true
}

/** The same as a form to hold a message against. */
export const modelRefForm = Type.Unsafe<ModelRef>(Type.Object({
  provider: Type.String(),
  id: Type.String(),
  effort: Type.Optional(Type.String()),
  maxOutputTokens: Type.Optional(Type.Integer()),
  contextLength: Type.Optional(Type.Integer()),
  baseUrl: Type.Optional(Type.String()),
  seesImages: Type.Optional(Type.Boolean()),
  slot: Type.Optional(Type.String()),
  isAgent: Type.Optional(Type.Literal(true))
}))
