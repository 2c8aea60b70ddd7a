import { lstat, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { commandFile, sealOf } from '../../agent/index.js'
import { realPath } from '../../ground/files/containment.js'
import { Invalid } from '../../ground/errors.js'
import { identityOf, isSettled } from '../../ground/files/file-identity.js'
import { frontMatter, line } from '../../ground/text/front-matter.js'
import { visibleProse } from '../../ground/text/visible.js'
import { openFile } from '../../workspace/place/place.js'
import {
  canonical, inOtherWords, longestExpansion, withAliases, type Command, type CommandContext, type CommandSource, type Expansion
} from './command.js'

/** A folder with commands, one in each Markdown file. */
export interface CommandFolder {
  folder: string
  /** The workspace that it belongs to. The folder must not be a link then, because a repository may come from anywhere. */
  within?: string
  /** Whether only files with a description in their front matter are commands; others are ordinary texts. */
  isMixed?: boolean
  /** The plugin that it belongs to: its commands are `<plugin>:<name>`, and are marked as the plugin's words. */
  plugin?: string
}

interface MarkdownCommand extends Command {
  body: string
  /** The plugin that provides it; null if none does. */
  plugin: string | null
  /** The path it was read from; absolute, free of symlinks. */
  path: string
  /** Identifies its content. */
  seal: string
}

export interface MarkdownOptions {
  category: string
  folders: (context: CommandContext) => CommandFolder[]
  /**
   * Returns the records of a change of a file that no person has accepted; null if there was none. Absent for folders that belong to the
   * user.
   */
  unaccepted?: (path: string, seal: string) => string[] | null
}

const mostFiles = 300
const longestFileBytes = 64 * 1024
const mostArgumentChars = 100_000
const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u

/**
 * Commands written as Markdown: the file name, front matter with `description` and `argument-hint`, and the text to send, in which
 * `$ARGUMENTS` and `$1` to `$9` stand for what was typed after the name. A file in a folder is `folder:name`. Nothing in them is executed
 * here.
 */
export class MarkdownCommands implements CommandSource {
  readonly #known = new Map<string, { identity: string, command: MarkdownCommand | null }>()

  constructor (readonly options: MarkdownOptions) {}

  async list (context: CommandContext): Promise<Command[]> {
    return (await this.#commands(context)).map(({ body, plugin, path, seal, ...command }) => command)
  }

  async resolve (context: CommandContext, name: string, args: string): Promise<Expansion | null> {
    const found = (await this.#commands(context)).find((command) => command.name === name)
    if (found === undefined) return null
    const text = filled(found.body, args)
    if (found.plugin !== null) return { text: inOtherWords(name, `the plugin ${found.plugin}`, text), started: () => {} }
    const { unaccepted } = this.options
    if (unaccepted === undefined || context.workspace === null) return { text, started: () => {} }
    return this.#ofWorkspace(found, text, args, relative(realPath(context.workspace), found.path), unaccepted(found.path, found.seal))
  }

  /** `records` null: nothing has changed it without a person's consent. */
  #ofWorkspace ({ name, body }: MarkdownCommand, text: string, args: string, path: string, records: string[] | null): Expansion {
    const accepted = inOtherWords(name, `the file ${path} of this workspace`, text)
    if (records === null) return { text: accepted, started: () => {} }
    const typed = args === '' ? `/${name}` : `/${name} ${args}`
    return {
      text: `${typed}\n\n[What this command stands for is left out: a command in the sandbox has changed ${path}, and the user has not accepted that. Do not look for it there; say that it was not used.]`,
      started: () => {},
      unaccepted: { name, path, content: body, accepted, records }
    }
  }

  async #commands (context: CommandContext): Promise<MarkdownCommand[]> {
    const found = new Map<string, MarkdownCommand>()
    for (const folder of this.options.folders(context)) {
      const root = rootOf(folder)
      if (root === undefined) continue
      for (const path of await filesIn(root)) {
        const command = await this.#read(root, path, folder)
        if (command !== null && !found.has(command.name)) found.set(command.name, command)
      }
    }
    return [...found.values()].sort((one, other) => one.name < other.name ? -1 : 1)
  }

  async #read (root: string, path: string, folder: CommandFolder): Promise<MarkdownCommand | null> {
    const at = join(root, path)
    const stats = await lstat(at, { bigint: true }).catch(() => null)
    if (stats === null || !stats.isFile() || stats.size > longestFileBytes) return null
    const identity = `${identityOf(stats)} ${folder.isMixed === true} ${folder.plugin ?? ''}`
    const known = this.#known.get(at)
    if (known?.identity === identity) return known.command
    const command = await this.#parse(root, path, folder).catch(() => null)
    if (this.#known.size > 10_000) this.#known.clear()
    if (isSettled(stats)) this.#known.set(at, { identity, command })
    return command
  }

  async #parse (root: string, path: string, { isMixed = false, plugin }: CommandFolder): Promise<MarkdownCommand | null> {
    const { handle, real } = await openFile({ root, closed: [] }, path)
    try {
      const buffer = Buffer.alloc(longestFileBytes)
      const { bytesRead } = await handle.read(buffer, 0, longestFileBytes, 0)
      const { fields, body } = frontMatter(withPlainHint(buffer.toString('utf8', 0, bytesRead)))
      const description = line(fields['description'], 300)
      if (body.trim() === '' || (isMixed && description === '')) return null
      const name = canonical([...plugin === undefined ? [] : [plugin], ...path.replace(/\.md$/i, '').split('/')].join(':'))
      const firstLine = line(body.split('\n', 20).map((text) => text.replace(/^#+\s*/, '')).find((text) => text.trim() !== ''), 100)
      return {
        name,
        description: description || firstLine,
        category: this.options.category,
        aliases: withAliases(name),
        argsHint: line(fields['argument-hint'], 100),
        subcommands: [],
        plugin: plugin ?? null,
        path: real,
        seal: sealOf(buffer.toString('latin1', 0, bytesRead)),
        // Removes characters that a person who looks at the file cannot see, but a model would read.
        body: visibleProse(body.replaceAll('\r\n', '\n').trim())
      }
    } finally {
      await handle.close()
    }
  }
}

/** Quotes `argument-hint: [file] [line]`: its author means a hint, but to YAML it is a list followed by more. */
function withPlainHint (text: string): string {
  const end = text.indexOf('\n---', 3)
  const hint = /^argument-hint:[ \t]*(\[.*)$/m.exec(text)
  if (!text.startsWith('---') || hint === null || hint.index > end) return text
  return `${text.slice(0, hint.index)}argument-hint: ${JSON.stringify((hint[1] ?? '').trim())}${text.slice(hint.index + hint[0].length)}`
}

/** A workspace's own folder must not be a link, not even to another place in it: such a place is not watched as commands are. */
function rootOf ({ folder, within: bounds }: CommandFolder): string | undefined {
  try {
    const root = realPath(folder)
    return bounds === undefined || root === join(realPath(bounds), relative(bounds, folder)) ? root : undefined
  } catch {
    return undefined
  }
}

async function filesIn (root: string): Promise<string[]> {
  const files: string[] = []
  const look = async (place: string): Promise<string[]> => {
    const folders: string[] = []
    for (const entry of await readdir(join(root, place), { withFileTypes: true }).catch(() => [])) {
      const isText = entry.isFile() && commandFile.test(entry.name)
      if (!nameForm.test(entry.name.replace(/\.md$/i, '')) || /^readme/i.test(entry.name)) continue
      if (isText && files.length < mostFiles) files.push(`${place}${entry.name}`)
      else if (entry.isDirectory()) folders.push(entry.name)
    }
    return folders
  }
  for (const name of (await look('')).slice(0, 50)) await look(`${name}/`)
  return files.sort()
}

/**
 * Fills placeholders in one pass: typed text is inserted as it is, even if it contains placeholders. Throws Invalid if the result is too
 * long.
 */
function filled (body: string, typed: string): string {
  const args = typed.slice(0, mostArgumentChars)
  const words = wordsOf(args)
  let isUsed = false
  let chars = body.length
  const text = body.replace(/\$(ARGUMENTS\b|[1-9](?!\d))/g, (_, name: string) => {
    isUsed = true
    const word = name === 'ARGUMENTS' ? args : words[Number(name) - 1] ?? ''
    chars += word.length
    if (chars > longestExpansion) throw new Invalid(`This command expands to a message of more than ${longestExpansion} characters`)
    return word
  })
  return isUsed || args === '' ? text : `${text}\n\n${args}`
}

/** Splits at blanks; quoted text stays together. */
function wordsOf (args: string): string[] {
  return [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].slice(0, 9).map(([, double, single, plain]) => double ?? single ?? plain ?? '')
}
