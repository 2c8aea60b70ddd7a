import { Type, type Static } from '@sinclair/typebox'
import { type Effort } from '../providers/index.js'
import { loosely, text } from './forms.js'

/** The model that answers. Credentials are never sent: the host looks the key up by `provider` in its own environment. */
export type ModelRef = Static<typeof modelRefForm>
export const modelRefForm = Type.Object({
  provider: text,
  id: text,
  effort: Type.Optional(loosely<Effort>(text)),
  /** The longest answer, in tokens; absent = the provider's default. */
  maxOutputTokens: Type.Optional(Type.Integer()),
  /** Size of the context window in tokens, if known. */
  contextLength: Type.Optional(Type.Integer()),
  /** Base address of a self-hosted endpoint found by probing; absent = as configured. */
  baseUrl: Type.Optional(text),
  /** Whether it accepts images. False: it is known to accept only text; absent: unknown, so images are sent. */
  seesImages: Type.Optional(Type.Boolean()),
  /** The kind of small task that it does; that section of the profile's settings says how it is asked. */
  slot: Type.Optional(text),
  /** Set if this is not a model but an agent that speaks the Agent Client Protocol; `id` is one of its models. */
  isAgent: Type.Optional(Type.Literal(true))
})
