import { type JSONObject } from '@ai-sdk/provider'
import { type DemoMove } from './offline-demo-moves.js'

const helpText = `These are the rules:

- \`list\` or \`list <folder>\` lists files
- \`read <path>\` reads a file
- \`write <path>: <text>\` writes a file
- \`search <text>\` searches the files
- \`run <command>\` runs a command
- \`ask me <question>\` asks you back; \`ask me <question>? a | b\` offers answers
- \`todo <first>; <second>\` makes a list of tasks
- \`delegate <request>\` lets a sub-agent do it
- \`slow <n>\` counts to n, slowly
- \`help\` shows this list

To add a model, open Models in the app, set a provider key such as \`OPENAI_API_KEY\` in the profile's \`.env\` file, or start a model
server such as Ollama on this machine.`

interface Rule { name: string, pattern: RegExp, step (match: RegExpExecArray): DemoMove }

const calls = (toolName: string, input: JSONObject): DemoMove => ({ call: { toolName, input } })
const group = (match: RegExpExecArray, index: number): string => (match[index] ?? '').trim()
const parts = (text: string, separator: string): string[] => text.split(separator).map((part) => part.trim()).filter((part) => part !== '')
/** Escapes a text, because the tool takes a regular expression and the rule's words are meant literally. */
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
const maxCount = 5000

const rules: Rule[] = [
  { name: 'help', pattern: /^help\s*[.!?]?$/i, step: () => ({ text: helpText }) },
  {
    name: 'list', pattern: /^list(?:\s+files(?:\s+in)?)?(?:\s+(\S.*))?$/i,
    step: (match) => calls('list_files', { path: group(match, 1) || '.' })
  },
  { name: 'read <path>', pattern: /^read\s+(\S.*)$/i, step: (match) => calls('read_file', { path: group(match, 1) }) },
  {
    name: 'write <path>: <text>', pattern: /^write\s+([^:\s][^:\n]*):[ \t]?\n?([^]*)$/i,
    step: (match) => calls('write_file', { path: group(match, 1), content: match[2] ?? '' })
  },
  {
    name: 'search <text>', pattern: /^search\s+(?:for\s+)?(\S.*)$/i,
    step: (match) => calls('search_files', { pattern: literally(group(match, 1)) })
  },
  { name: 'run <command>', pattern: /^run\s+(\S[^]*)$/i, step: (match) => calls('terminal', { command: group(match, 1) }) },
  {
    name: 'ask me <question>',
    pattern: /^ask\s+me\s+(\S[^]*)$/i,
    step: (match) => {
      const asked = group(match, 1)
      const head = asked.slice(0, Math.max(0, asked.indexOf('|')))
      const end = Math.max(head.lastIndexOf('?', head.length - 2), head.lastIndexOf('？', head.length - 2)) + 1
      return calls('clarify', end === 0 ? { question: asked } : { question: asked.slice(0, end), choices: parts(asked.slice(end), '|') })
    }
  },
  {
    name: 'todo <first>; <second>',
    pattern: /^todo:?\s+(\S[^]*)$/i,
    step: (match) => calls('todo', { todos: parts(group(match, 1), ';').map((content) => ({ content, status: 'pending' })) })
  },
  { name: 'delegate <request>', pattern: /^delegate:?\s+(\S[^]*)$/i, step: (match) => calls('delegate', { task: group(match, 1) }) },
  {
    name: 'slow <n>',
    pattern: /^slow\s+(\d{1,9})$/i,
    step: (match) => {
      const count = Math.min(Number(match[1]), maxCount)
      return { text: Array.from({ length: count }, (_, index) => String(index + 1)).join(' '), slow: true }
    }
  }
]

/** Returns the rule that a message matches, and what it does; null for free text. */
export function matchRule (request: string): (DemoMove & { name: string }) | null {
  for (const { name, pattern, step } of rules) {
    const match = pattern.exec(request)
    if (match !== null) return { name, ...step(match) }
  }
  return null
}
