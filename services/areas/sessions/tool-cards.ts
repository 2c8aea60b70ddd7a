// The session-level `tool_calls` entries: short enough for a list, long enough for a card.

import { beginningOf } from '../../ground/redaction/index.js'

const snippetChars = 4_000
const shortChars = 120
const maxArgs = 6
const longArgs = new Set(['command', 'cmd', 'script', 'code', 'patch', 'diff', 'old_string', 'new_string', 'content', 'path', 'file_path'])

export function cardSnippet (result: string): string {
  return beginningOf(result, snippetChars)
}

/** Returns at most six arguments, each as text. What people look for (commands, paths, content) is kept longer. */
export function cardArgs (args: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(args).slice(0, maxArgs).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value) ?? ''
    return [name, beginningOf(text, longArgs.has(name) ? snippetChars : shortChars)]
  }))
}
