import { basename, dirname, join } from 'node:path'

/**
 * What of a workspace is obeyed later on, in one place: by a turn of this service, by a person who types a command's name, or by
 * another program that the user starts there. Whoever may write such a file unasked speaks in the user's name, so the sandbox compares
 * them before and after each command (`sandbox/boundary.ts`); what git obeys is found by `sandbox/git-findings.ts`.
 *
 * | File | Obeyed by | Changed unasked |
 * |---|---|---|
 * | `ruleFiles`, `ruleFolder` | every turn, as rules | told; the text of before counts until a person has accepted the new one |
 * | Markdown in `commandFolders` | a turn whose message begins with its name | told; not used until a person has accepted it |
 * | `others`, folders of other agents | other agents, a shell, an editor | told |
 *
 * In any spelling: where a file system does not tell `agents.md` from `AGENTS.md`, one is read under the name of the other.
 */

/** Rules of a workspace: in each folder the first of these counts. */
export const ruleFiles = ['AGENTS.md', 'CLAUDE.md', '.cursorrules'] as const
export const ruleFolder = join('.cursor', 'rules')
export const ruleFile = /\.mdc$/i

/** Folders of a workspace with commands. Of a mixed one only those files are commands that have front matter with a description. */
export const commandFolders: ReadonlyArray<{ path: string, isMixed: boolean }> = [{
  path: join('.claude', 'commands'), isMixed: false
}, { path: 'commands', isMixed: true }]
export const commandFile = /\.md$/i

/** In small letters. */
const others: ReadonlySet<string> = new Set(['agents.override.md', 'claude.local.md', 'gemini.md', '.windsurfrules', '.clinerules', '.rules', 'copilot-instructions.md', '.envrc',
  '.mcp.json', 'opencode.json', 'opencode.jsonc', 'skill.md', 'mise.toml', '.mise.toml'])
const rules: ReadonlySet<string> = new Set(ruleFiles.map((name) => name.toLowerCase()))
const named: ReadonlySet<string> = new Set([...rules, ...others])
/** Everything in these; deeper down lies what they work on, such as worktrees. */
const agentFolder = /\/\.(?:claude|codex|gemini|cursor|windsurf|opencode|agents)(?:\/(?:agents?|commands?|hooks|output-styles|prompts|rules|skills)(?:\/[^/]+){0,3})?$|\/\.clinerules$|\/\.github\/(?:instructions|prompts|chatmodes)$/i
const editorFile = /\/\.vscode\/(?:tasks|settings|launch|mcp)\.json$|\/\.devcontainer\/devcontainer\.json$/i

/** A command may lie in a folder below. */
const commandPlace = commandFolders.map(({ path, isMixed }) => ({ isMixed, ends: [`/${path}`, `/${path}/`] as const }))

/** Whether a file of this path could be one of the rules of a workspace. */
export function mayHoldRules (path: string): boolean {
  return rules.has(basename(path).toLowerCase()) || (ruleFile.test(path) && dirname(path).toLowerCase().endsWith(`/${ruleFolder}`))
}

/** Whether two paths may name one file. */
export const mayBeSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** Whether a file of this path could be a command of a workspace; `mixed`: if it has front matter. */
export function mayHoldCommand (path: string): 'yes' | 'mixed' | 'no' {
  if (!commandFile.test(path)) return 'no'
  const folder = dirname(path).toLowerCase()
  const place = commandPlace.find(({ ends: [own, above] }) => folder.endsWith(own) || (dirname(folder) + '/').endsWith(above))
  return place === undefined ? 'no' : place.isMixed ? 'mixed' : 'yes'
}

/** The same of a path, which may be one from the workspace. */
export const isInstructionFile = (path: string): boolean => isInstruction(`/${dirname(path)}`, basename(path))

/** Whether something obeys the file of this name. */
export function isInstruction (folder: string, name: string): boolean {
  const path = `${folder}/${name}`
  return named.has(name.toLowerCase()) || agentFolder.test(folder) || editorFile.test(path) || mayHoldCommand(path) !== 'no'
}
