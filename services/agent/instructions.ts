import { basename, dirname, join } from 'node:path'

/**
 * The files of a workspace that are followed as instructions later: by a turn of this service, by a person who types a command's name, or
 * by another program that the user starts there. An agent that may write such a file without permission speaks in the user's name, so the
 * sandbox compares them before and after each command (`sandbox/boundary.ts`). Files that git follows are found by
 * `sandbox/git-findings.ts`.
 *
 * | File | Followed by | If changed without permission |
 * |---|---|---|
 * | `ruleFiles`, `ruleFolder` | every turn, as rules | reported; the old text applies until a person has accepted the new one |
 * | Markdown in `commandFolders` | a turn whose message begins with its name | reported; not used until a person has accepted it |
 * | `others`, folders of other agents | other agents, a shell, an editor | reported |
 *
 * Names match in upper and lower case: some file systems do not distinguish `agents.md` from `AGENTS.md`.
 */

/** Files with rules of a workspace: in each folder, the first of these counts. */
export const ruleFiles = ['AGENTS.md', 'CLAUDE.md', '.cursorrules'] as const
export const ruleFolder = join('.cursor', 'rules')
export const ruleFile = /\.mdc$/i

/** Folders of a workspace with commands. In a mixed folder, only files with a description in their front matter are commands. */
export const commandFolders: ReadonlyArray<{ path: string, isMixed: boolean }> = [{
  path: join('.claude', 'commands'), isMixed: false
}, { path: 'commands', isMixed: true }]
export const commandFile = /\.md$/i

/** Names in lower case. */
const others: ReadonlySet<string> = new Set(['agents.override.md', 'claude.local.md', 'gemini.md', '.windsurfrules', '.clinerules', '.rules', 'copilot-instructions.md', '.envrc',
  '.mcp.json', 'opencode.json', 'opencode.jsonc', 'skill.md', 'mise.toml', '.mise.toml'])
const rules: ReadonlySet<string> = new Set(ruleFiles.map((name) => name.toLowerCase()))
const named: ReadonlySet<string> = new Set([...rules, ...others])
/** Folders in which every file counts. Files deeper down are what those agents work on, such as worktrees. */
const agentFolder = /\/\.(?:claude|codex|gemini|cursor|windsurf|opencode|agents)(?:\/(?:agents?|commands?|hooks|output-styles|prompts|rules|skills)(?:\/[^/]+){0,3})?$|\/\.clinerules$|\/\.github\/(?:instructions|prompts|chatmodes)$/i
const editorFile = /\/\.vscode\/(?:tasks|settings|launch|mcp)\.json$|\/\.devcontainer\/devcontainer\.json$/i

/** A command may also be in a folder one level below. */
const commandPlace = commandFolders.map(({ path, isMixed }) => ({ isMixed, ends: [`/${path}`, `/${path}/`] as const }))

/** Returns whether a file with this path could contain rules of a workspace. */
export function mayHoldRules (path: string): boolean {
  return rules.has(basename(path).toLowerCase()) || (ruleFile.test(path) && dirname(path).toLowerCase().endsWith(`/${ruleFolder}`))
}

/** Returns whether two paths may name the same file. */
export const mayBeSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** Returns whether a file with this path could be a command of a workspace; `mixed`: only if it has front matter. */
export function mayHoldCommand (path: string): 'yes' | 'mixed' | 'no' {
  if (!commandFile.test(path)) return 'no'
  const folder = dirname(path).toLowerCase()
  const place = commandPlace.find(({ ends: [own, above] }) => folder.endsWith(own) || (dirname(folder) + '/').endsWith(above))
  return place === undefined ? 'no' : place.isMixed ? 'mixed' : 'yes'
}

/** Like isInstruction, for a path, which may be relative to the workspace. */
export const isInstructionFile = (path: string): boolean => isInstruction(`/${dirname(path)}`, basename(path))

/** Returns whether an agent, a shell or an editor follows the file with this name. */
export function isInstruction (folder: string, name: string): boolean {
  const path = `${folder}/${name}`
  return named.has(name.toLowerCase()) || agentFolder.test(folder) || editorFile.test(path) || mayHoldCommand(path) !== 'no'
}
