/** A function of the program that sends a message: the model may call it, and the program runs it. */
export interface ClientTool {
  name: string
  description?: string
  /** JSON Schema of the arguments, with an object at the top. */
  parameters: Record<string, unknown>
  strict?: boolean
}

/** What the final answer of a turn has to be: a JSON object, of any form or of this one. */
export type AnswerFormat =
  | { type: 'json_object' }
  | { type: 'json_schema', name: string, description?: string, schema: Record<string, unknown>, strict: boolean }

/**
 * What the program that sends a message wants of its turn beside an answer. A call of one of its tools ends the turn
 * (`client_calls`); its results begin the next one.
 */
export interface ClientWishes {
  tools?: ClientTool[]
  /** Whether the model has to call one of the tools; absent: it decides. */
  choice?: 'required' | { tool: string }
  /** At most one call goes out at once. */
  isOneByOne?: true
  format?: AnswerFormat
}
