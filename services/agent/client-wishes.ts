/** A function of the client that sends a message: the model may call it, and the client runs it. */
export interface ClientTool {
  name: string
  description?: string
  /** JSON Schema of the arguments, with an object at the top. */
  parameters: Record<string, unknown>
  strict?: boolean
}

/** The required format of a turn's final answer: any JSON object, or one that matches a schema. */
export type AnswerFormat =
  | { type: 'json_object' }
  | { type: 'json_schema', name: string, description?: string, schema: Record<string, unknown>, strict: boolean }

/** How the model picks its tokens, by the names of the call options that providers' clients take. */
export interface SamplingOptions {
  temperature?: number
  topP?: number
  frequencyPenalty?: number
  presencePenalty?: number
  seed?: number
}

/**
 * What the client that sends a message requests of its turn besides an answer. A call of one of its tools ends the turn (`client_calls`);
 * the results of the calls begin the next one.
 */
export interface ClientWishes {
  tools?: ClientTool[]
  /** Whether the model has to call one of the tools, or a certain one; absent: the model decides. */
  choice?: 'required' | { tool: string }
  /** Set if at most one call may be made at once. */
  isOneByOne?: true
  format?: AnswerFormat
  /** How many output tokens all model calls of the turn may have together. */
  maxOutputTokens?: number
  /** Sent with each model call. The turn fails (`unsupported`) if the model does not support one of them. */
  sampling?: SamplingOptions
}
