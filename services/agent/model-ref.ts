import { Type } from '@sinclair/typebox'
import { type Effort } from '../providers/index.js'

/** The model that answers. Credentials are never sent: the host looks the key up by `provider` in its own environment. */
export interface ModelRef {
  provider: string
  id: string
  effort?: Effort
  /** The longest answer, in tokens; absent = the provider's default. */
  maxOutputTokens?: number
  /** Size of the context window in tokens, if known. */
  contextLength?: number
  /** Base address of a self-hosted endpoint found by probing; absent = as configured. */
  baseUrl?: string
  /** Whether it accepts images. False: it is known to accept only text; absent: unknown, so images are sent. */
  seesImages?: boolean
  /** The kind of small task that it does; that section of the profile's settings says how it is asked. */
  slot?: string
  /** Set if this is not a model but an agent that speaks the Agent Client Protocol; `id` is one of its models. */
  isAgent?: true
}

/** The form against which messages are checked. */
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
