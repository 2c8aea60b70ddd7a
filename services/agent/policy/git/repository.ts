import { dirname, join, resolve } from 'node:path'
import { parseConfiguration, type Setting } from '../../sandbox/git-config.js'
import { within } from '../../tools/containment.js'
import { type Look, Unclear } from './look.js'

/** A repository as git finds it. */
export interface Repository {
  workTree: string
  gitFolder: string
  /** The folder that holds its settings; for a linked work tree, this is not `gitFolder`. */
  common: string
}

const validHead = /^(?:ref:\s*refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/
const mostIncluded = 20
const isInclude = /^include(?:if\.[^]*)?\.path$/
/** Matches settings that decide what git contacts. Such a setting under a condition (`includeIf`) is unclear. */
const isPlace = /^(?:remotes?|branch|url|submodule|lfs)\.|^(?:core\.worktree|extensions\.worktreeconfig)$/

const oneLine = (text: string): string => text.replace(/[\r\n]+$/, '')

/** Returns the repository that git finds from a folder, a real path; null if none. Throws Unclear for one that git might pass over. */
export function findRepository (folder: string, look: Look): Repository | null {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, '.git')
    const { kind, text = '' } = look(path)
    if (kind === 'folder') return repositoryAt(at, path, look)
    if (kind === 'file') {
      if (!text.startsWith('gitdir: ')) throw new Unclear()
      return repositoryAt(at, resolve(at, oneLine(text.slice('gitdir: '.length))), look)
    }
    // A link, or a folder that may be a repository without a work tree.
    if (kind === 'other' || look(join(at, 'HEAD')).kind !== 'nothing') throw new Unclear()
    if (dirname(at) === at) return null
  }
}

/** Matches folders that git itself keeps in a repository for linked work trees and submodules. */
const isLinkedPlace = /\/\.git\/(?:worktrees\/[^/]+|modules\/.+)$/

/**
 * Returns false if git would find, from a folder, a repository that ordinary files of the workspace can make up: one without a work tree,
 * or one that a file or a link called `.git` leads to. Its settings can name programs for which no permission was asked.
 */
export function isPlainRepository (folder: string, workspace: string, look: Look): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, '.git')
    const { kind, text = '' } = look(path)
    if (kind === 'folder' && isRepository(path, look)) return true
    if (kind === 'other') return !within(workspace, at)
    if (kind === 'file') {
      const place = text.startsWith('gitdir: ') ? resolve(at, oneLine(text.slice('gitdir: '.length))) : ''
      return !within(workspace, at) || isLinkedPlace.test(place) || (place !== '' && !within(workspace, place))
    }
    if (isRepository(at, look)) return !within(workspace, at) || /\/\.git(?:\/|$)/.test(at)
    if (dirname(at) === at) return true
  }
}

const isRepository = (folder: string, look: Look): boolean => look(join(folder, 'HEAD')).kind !== 'nothing' &&
  (look(join(folder, 'commondir')).kind !== 'nothing' || ['objects', 'refs'].every((name) => look(join(folder, name)).kind !== 'nothing'))

function repositoryAt (workTree: string, gitFolder: string, look: Look): Repository {
  const linked = look(join(gitFolder, 'commondir'))
  if (linked.kind !== 'nothing' && linked.text === undefined) throw new Unclear()
  const common = linked.text === undefined ? gitFolder : resolve(gitFolder, oneLine(linked.text))
  const isWhole = validHead.test(look(join(gitFolder, 'HEAD')).text ?? '') &&
    ['objects', 'refs'].every((name) => look(join(common, name)).kind === 'folder')
  if (!isWhole) throw new Unclear()
  return { workTree, gitFolder, common }
}

/** Returns the branch that is checked out; null if none. */
export const branchOf = ({ gitFolder }: Repository, look: Look): string | null =>
  /^ref:\s*refs\/heads\/(\S+)/.exec(look(join(gitFolder, 'HEAD')).text ?? '')?.[1] ?? null

/** Returns all settings that decide what git contacts; later ones override earlier ones: the machine's, the user's, the repository's. */
export function settingsFor (repository: Repository | null, home: string, look: Look, follow: (path: string) => string): Setting[] {
  const reader = new Settings(home, look)
  for (const path of ['/etc/gitconfig', join(home, '.config/git/config'), join(home, '.gitconfig')]) reader.take(follow(path))
  if (repository === null) return reader.found
  reader.take(join(repository.common, 'config'))
  const own = reader.found.findLast(({ name }) => name === 'extensions.worktreeconfig')
  if (own !== undefined && !/^(?:false|no|off|0)$/i.test(own.value)) reader.take(join(repository.gitFolder, 'config.worktree'))
  return reader.found
}

class Settings {
  readonly found: Setting[] = []
  #included = 0

  constructor (private readonly home: string, private readonly look: Look) {}

  take (path: string, isConditional = false): void {
    const seen = this.look(path)
    if (seen.kind === 'nothing') return
    if (seen.text === undefined) throw new Unclear()
    const { settings, unread } = parseConfiguration(seen.text)
    if (unread !== null) throw new Unclear()
    for (const setting of settings) {
      if (isInclude.test(setting.name)) this.#include(setting, path, isConditional)
      else if (!isPlace.test(setting.name)) continue
      else if (isConditional) throw new Unclear()
      else this.found.push(setting)
    }
  }

  #include ({ name, value }: Setting, path: string, isConditional: boolean): void {
    if (++this.#included > mostIncluded || /^~[^/]|^%/.test(value)) throw new Unclear()
    this.take(resolve(dirname(path), value.replace(/^~(?=\/)/, this.home)), isConditional || name.startsWith('includeif.'))
  }
}
