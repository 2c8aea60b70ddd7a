import { join, resolve } from 'node:path'
import { inEnglish, type Reason } from '../../../../reasons/index.js'
import { GitInspection, ownSettings, saidOf } from '../../sandbox/git-findings.js'
import { sealOf, statsOf, TextCache } from '../../sandbox/texts.js'
import { type Folder } from '../../sandbox/walk.js'
import { type Repository } from './repository.js'

/** What only says where git goes, or what history it has: that is judged by itself, or runs nothing. */
const elsewhere = new RegExp('^(?:sets (?:remote\\.[^]+\\.(?:url|pushurl|fetch|push|tagopt|prune|mirror|promisor|partialclonefilter|gh-resolved)|branch\\.[^]+|url\\.[^]+|submodule\\.(?:[^]+\\.)?(?:url|active|branch|path)|' +
  'lfs\\.(?:[^ ]*url|repositoryformatversion|[^]+\\.(?:access|locksverify))|extensions\\.partialclone) = |is what (?:remote|branch|url|submodule)\\.|is a repository without|says which history|names a worktree|takes hooks)')
/** What hooks of well-known kinds go by. */
const hookSettings = ['.pre-commit-config.yaml', 'lefthook.yml', 'lefthook.yaml', '.lefthook.yml']

/** What git runs or follows in a repository beside itself. */
export interface OwnPrograms {
  /** One word that changes with the content of all of it. */
  seal: string
  /** For a person, each with its path relative to the workspace. */
  programs: Reason[]
}

/** Hooks, programs that the settings of a repository name, filters; null when there is nothing of the kind. */
export function ownPrograms ({ workTree, gitFolder, common }: Repository, home: string, workspace: string): OwnPrograms | null {
  const texts = new TextCache()
  const folders = [...new Set([common, gitFolder])].map(repositoryFolder)
  if (gitFolder !== join(workTree, '.git')) folders.push({ path: workTree, entries: { ...nothing, git: ['.git'] }, inGit: false })
  // What the user's own settings name elsewhere is the user's.
  const own = ownSettings(home, texts).filter(({ value }) => !/^[~/]/.test(value))
  const found = new GitInspection('/', folders, texts, home, own).findings.filter(({ what }) =>
    !elsewhere.test(what) && !isOwnPlace(what, gitFolder, workTree))
  if (found.length === 0) return null
  const beside = hookSettings.map((name) => texts.read(join(workTree, name))?.text ?? '')
  return {
    seal: sealOf([...found.map(({ path, what, seal }) => `${path}\n${what}\n${seal}`).sort(), ...beside].join('\0')),
    programs: [...new Map(found.map((finding) => saidOf(workspace, finding)).map((said) => [inEnglish(said), said]))]
      .sort(([one], [other]) => one < other ? -1 : 1).map(([, said]) => said)
  }
}

/** The repository of a submodule says where its work tree is. */
const isOwnPlace = (what: string, gitFolder: string, workTree: string): boolean => {
  const place = /^sets core\.worktree = ([^]+)$/.exec(what)?.[1]
  return place !== undefined && resolve(gitFolder, place) === workTree
}

const nothing: Folder['entries'] = { folders: [], links: [], git: [], gitParts: [], instructions: [], sockets: [], unreadable: false }

function repositoryFolder (path: string): Folder {
  const gitParts = ['HEAD', 'objects', 'refs', 'commondir'].filter((name) => statsOf(join(path, name)) !== undefined)
  const links = ['hooks', 'config', 'config.worktree', 'info'].filter((name) => statsOf(join(path, name))?.isSymbolicLink() === true)
  return { path, entries: { ...nothing, gitParts, links }, inGit: true }
}
