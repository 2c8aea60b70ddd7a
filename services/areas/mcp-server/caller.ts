/** What somebody who calls may do: look, talk, and answer what waits. */
export type McpRight = 'read' | 'chat' | 'approve'

export interface McpCaller {
  profile: string
  may: (right: McpRight) => boolean
  /** The folder that is named for a new chat. Throws Invalid, and Forbidden where the caller is not to choose it. */
  folder: (path: string) => Promise<string>
}
