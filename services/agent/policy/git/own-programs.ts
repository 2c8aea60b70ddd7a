import { join, resolve } from 'node:path'
import { inEnglish, type Reason, type ReasonCode } from '../../../../reasons/index.js'
import { findingId, GitInspection, ownSettings, saidOf } from '../../sandbox/git-findings.js'
import { sealOf, statsOf, TextCache } from '../../sandbox/texts.js'
import { type Folder } from '../../sandbox/walk.js'
import { type Repository } from './repository.js'

/** Matches settings that only say where git goes, which is judged separately. */
const addressSetting = new RegExp('^(?:remote\\.[^]+\\.(?:url|pushurl|fetch|push|tagopt|prune|mirror|promisor|partialclonefilter|gh-resolved)|' +
  'branch\\.[^]+|url\\.[^]+|submodule\\.(?:[^]+\\.)?(?:url|active|branch|path)|' +
  'lfs\\.(?:[^ ]*url|repositoryformatversion|[^]+\\.(?:access|locksverify))|extensions\\.partialclone)$')
/** Findings that say where git goes or what history it has, which runs nothing. */
const elsewhere: ReadonlySet<ReasonCode> = new Set([
  'git_head_invalid', 'git_objects_missing', 'git_history', 'git_worktree_elsewhere', 'git_settings_elsewhere'
])
/** Configuration files of well-known managers of hooks. */
const hookSettings = ['.pre-commit-config.yaml', 'lefthook.yml', 'lefthook.yaml', '.lefthook.yml']

/** Programs that git would run in a repository besides its own, and settings that it follows there. */
export interface OwnPrograms {
  /** A hash that changes with the content of any of them. */
  seal: string
  /** For a person, each with its path relative to the workspace. */
  programs: Reason[]
}

/** Returns hooks, filters and programs that a repository's settings name; null if it has none. */
export function ownPrograms ({ workTree, gitFolder, common }: Repository, home: string, workspace: string): OwnPrograms | null {
  const texts = new TextCache()
  const folders = [...new Set([common, gitFolder])].map(repositoryFolder)
  if (gitFolder !== join(workTree, '.git')) folders.push({ path: workTree, entries: { ...nothing, git: ['.git'] }, inGit: false })
  // Programs in other places that the user's own settings name belong to the user.
  const own = ownSettings(home, texts).filter(({ value }) => !/^[~/]/.test(value))
  const found = new GitInspection('/', folders, texts, home, own).findings.filter(({ said }) =>
    said === undefined || !(runsNothing(said) || isOwnPlace(said, gitFolder, workTree)))
  if (found.length === 0) return null
  const beside = hookSettings.map((name) => texts.read(join(workTree, name))?.text ?? '')
  return {
    seal: sealOf([...found.map(findingId).sort(), ...beside].join('\0')),
    programs: [...new Map(found.map((finding) => saidOf(workspace, finding)).map((said) => [inEnglish(said), said]))]
      .sort(([one], [other]) => one < other ? -1 : 1).map(([, said]) => said)
  }
}

function runsNothing ({ code, params: { name, setting } }: Reason): boolean {
  if (code === 'git_sets_to') return addressSetting.test(String(name))
  return code === 'git_named_by' ? /^(?:remote|branch|url|submodule)\./.test(String(setting)) : elsewhere.has(code)
}

/** Returns whether a setting only names the repository's own work tree, as the repository of a submodule does. */
const isOwnPlace = ({ code, params }: Reason, gitFolder: string, workTree: string): boolean =>
  code === 'git_sets_to' && params['name'] === 'core.worktree' && resolve(gitFolder, String(params['value'])) === workTree

const nothing: Folder['entries'] = { folders: [], links: [], git: [], gitParts: [], instructions: [], sockets: [], unreadable: false }

function repositoryFolder (path: string): Folder {
  const gitParts = ['HEAD', 'objects', 'refs', 'commondir'].filter((name) => statsOf(join(path, name)) !== undefined)
  const links = ['hooks', 'config', 'config.worktree', 'info'].filter((name) => statsOf(join(path, name))?.isSymbolicLink() === true)
  return { path, entries: { ...nothing, gitParts, links }, inGit: true }
}
