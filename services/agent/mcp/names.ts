import { createHash } from 'node:crypto'

/** The longest tool name that every provider accepts. */
const longestName = 64
const prefix = 'mcp__'

const short = (text: string, chars: number): string => createHash('sha256').update(text).digest('hex').slice(0, chars)
const slug = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, '_')

/**
 * Returns the name under which a model knows a tool: `mcp__server__tool`, with characters and a length that providers accept. A name
 * that is too long or already taken ends in a hash of the whole name.
 */
export function modelName (server: string, tool: string, isTaken: (name: string) => boolean): string {
  const plain = `${prefix}${slug(server)}__${slug(tool)}`
  if (plain.length <= longestName && !isTaken(plain)) return plain
  const mark = `_${short(`${server}\0${tool}`, 8)}`
  return plain.slice(0, longestName - mark.length) + mark
}

/**
 * Returns the pattern key of a tool. Names with special characters are replaced and get a hash: a server that calls a tool `*` must not
 * turn what a person allows for good into a wildcard.
 */
export function toolKey (server: string, tool: string): string {
  return `mcp:${server}:${/^[A-Za-z0-9_.-]{1,100}$/.test(tool) ? tool : `${slug(tool).slice(0, 80)}-${short(tool, 12)}`}`
}

/** Returns the key for reading a server's resources. No tool's key contains a slash. */
export const resourceKey = (server: string): string => `mcp:${server}:resources/read`
/** Returns the key for looking at a server's tasks, or for stopping them. */
export const taskKey = (server: string, action: 'get' | 'cancel'): string => `mcp:${server}:tasks/${action}`
/** Returns the key for a server's requests to the model. A person is asked each time. */
export const samplingKey = (server: string): string => `mcp:${server}:sampling/create`
