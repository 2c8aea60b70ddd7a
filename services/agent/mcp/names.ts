import { createHash } from 'node:crypto'

/** What every provider takes for the name of a tool. */
const longestName = 64
const prefix = 'mcp__'

const short = (text: string, chars: number): string => createHash('sha256').update(text).digest('hex').slice(0, chars)
const slug = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, '_')

/**
 * The name under which a model knows a tool: `mcp__server__tool`, of characters and a length that providers take. What had
 * to be changed or cut, or is taken already, ends in a mark made of the whole name.
 */
export function modelName (server: string, tool: string, isTaken: (name: string) => boolean): string {
  const plain = `${prefix}${slug(server)}__${slug(tool)}`
  if (plain.length <= longestName && !isTaken(plain)) return plain
  const mark = `_${short(`${server}\0${tool}`, 8)}`
  return plain.slice(0, longestName - mark.length) + mark
}

/**
 * The pattern key of a tool. Names that are no plain ones get a mark: a server that calls a tool `*` must not make a pattern
 * of what a person allows for good.
 */
export function toolKey (server: string, tool: string): string {
  return `mcp:${server}:${/^[A-Za-z0-9_.-]{1,100}$/.test(tool) ? tool : `${slug(tool).slice(0, 80)}-${short(tool, 12)}`}`
}

/** Reading what a server has beside its tools; no tool's key has a slash. */
export const resourceKey = (server: string): string => `mcp:${server}:resources/read`
/** Looking after work that a server goes on with, or having it stopped. */
export const taskKey = (server: string, action: 'get' | 'cancel'): string => `mcp:${server}:tasks/${action}`
/** A server asks the model: each time a person is asked. */
export const samplingKey = (server: string): string => `mcp:${server}:sampling/create`
