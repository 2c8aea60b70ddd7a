/** What a caller may do: read, send messages, and answer prompts. */
export type McpRight = 'read' | 'chat' | 'approve'

export interface McpCaller {
  profile: string
  may: (right: McpRight) => boolean
  /** Resolves the folder named for a new chat. Throws Invalid, and Forbidden if the caller must not choose it. */
  folder: (path: string) => Promise<string>
}
