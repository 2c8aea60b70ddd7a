import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { pluginServers, rootVariable, type McpServerConfig } from '../../agent/index.js'
import { isRecord, fieldsOf } from '../../ground/fields.js'
import { line } from '../../ground/text/front-matter.js'
import { readHomeFile } from '../../ground/home/home-file.js'
import { parseJson } from '../../ground/text/parse-json.js'
import { pluginCommands } from '../commands/index.js'
import { SkillScan } from '../skills/index.js'

/** The facts in a plugin's `.claude-plugin/plugin.json`; null where it states nothing. */
export interface PluginManifest { description: string, version: string | null, author: string | null }

export interface Brings {
  commands: Array<{ name: string, description: string }>
  skills: Array<{ name: string, description: string }>
  servers: Array<McpServerConfig & { /** What is started, as a shell would be told; null: an address is asked. */ line: string | null }>
  /** Folders of kinds of content that plugins can have in other programs and this service does not use. */
  unused: string[]
}

const unusedFolders = ['agents', 'hooks', 'output-styles', 'lsp'] as const
const skills = new SkillScan()

/** Returns the contents of a plugin's folder, which may hold anything. Never rejects. */
export async function broughtBy (name: string, folder: string): Promise<Brings> {
  const commands = await pluginCommands(() => [{ name, folder }]).list({ profile: '', workspace: null })
  const found = await skills.look({ origin: 'plugin', folder: join(folder, 'skills') })
  const unused = await Promise.all(unusedFolders.map(async (each) => await lstat(join(folder, each)).then(() => [each], () => [])))
  return {
    commands: commands.map(({ name, description }) => ({ name, description })),
    skills: found.map(({ name, description }) => ({ name, description })),
    servers: pluginServers({ name, folder }).map((server) => ({ ...server, line: lineOf(server, folder) })),
    unused: unused.flat()
  }
}

/** Shows everything that decides what a program does, including variables and the folder it runs in. */
function lineOf ({ target }: McpServerConfig, folder: string): string | null {
  if (target?.transport !== 'stdio') return null
  const { command, args, env, cwd, sandbox } = target
  const shown = (text: string): string => quoted(text.replaceAll(folder, rootVariable))
  const place = sandbox || cwd === null || cwd === folder ? [] : ['cd', shown(cwd), '&&']
  return [...place, ...Object.entries(env).map(([name, value]) => `${name}=${shown(value)}`), ...[command, ...args].map(shown)].join(' ')
}

const quoted = (word: string): string => /^[\w@%+=:,./${}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** Never throws: an unreadable file counts as empty. */
export function manifestOf (folder: string): PluginManifest {
  const found = readHomeFile(join(folder, '.claude-plugin', 'plugin.json'))
  const { description, version, author } = fieldsOf(found !== undefined && 'text' in found ? parseJson(found.text) : {})
  const named = isRecord(author) ? author.name : author
  return { description: line(description, 300), version: line(version, 50) || null, author: line(named, 100) || null }
}
