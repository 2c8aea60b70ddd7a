import git, { type ReadCommitResult } from 'isomorphic-git'
import { join } from 'node:path'
import { Invalid, TooLarge } from '../../../ground/errors.js'
import { readRegularText } from '../../../ground/files/regular-file.js'
import {
  mostStoredBytes, type Branch, type Branches, type ChangesToDescribe, type Commit, type CommitDetail, type Diff, type DiffKind,
  type FileChange, type GitInfo, type GitStatus, type Stash, type StatusTotals, type StoredIn
} from '../engine.js'
import { needsGit } from './limits.js'
import { isShown, treePath, type PlainRepository } from './repository.js'
import {
  blobOf, contentsAt, contentsIn, lineCounts, maxDiffBytes, modeIn, patchOf, stagedContents, stagedMode, type Patch
} from './texts.js'

const maxFiles = 500
/** How long lines are counted. The remaining files have counts of 0, because line counts are optional. */
const countingMs = 3_000
const maxHistory = 20_000
const maxDescribedBytes = 64 * 1024

type Change = Pick<FileChange, 'path' | 'status' | 'staged' | 'unstaged' | 'untracked' | 'conflict'>

/** Returns everything that differs, with paths relative to the work tree: conflicts first, then tracked files, then untracked ones. */
export async function changesOf (repository: PlainRepository): Promise<Change[]> {
  const { fs, dir, gitdir, cache, prefix, index } = repository
  const conflicts = new Set(index.entries.filter(({ stage }) => stage !== 0).map(({ path }) => path))
  const rows = await git.statusMatrix({
    fs, dir, gitdir, cache, ...(prefix === '' ? {} : { filepaths: [prefix.slice(0, -1)] }),
    ...(repository.head === null ? { ref: undefined } : {})
  })
  const changes = rows.filter(([path]) => isShown(repository, path)).flatMap((row) => changeOf(row, conflicts.has(row[0])) ?? [])
  const rank = ({ conflict, untracked }: Change): number => conflict ? 0 : untracked ? 2 : 1
  return changes.sort((one, other) => rank(one) - rank(other) || (one.path < other.path ? -1 : 1))
}

function changeOf ([path, head, workdir, stage]: [string, number, number, number], conflict: boolean): Change | null {
  if (conflict) return { path, status: 'U', staged: false, unstaged: true, untracked: false, conflict }
  const base = { path, untracked: false, conflict }
  if (head === 0 && stage === 0) return workdir === 0 ? null : { ...base, status: '??', staged: false, unstaged: false, untracked: true }
  const staged = head !== stage
  const unstaged = stage === 0 ? false : workdir !== stage
  if (!staged && !unstaged) return null
  const status = staged ? (head === 0 ? 'A' : stage === 0 ? 'D' : 'M') : workdir === 0 ? 'D' : 'M'
  return { ...base, status, staged, unstaged }
}

function totalsOf (changes: Change[]): StatusTotals {
  const count = (is: (change: Change) => boolean): number => changes.filter(is).length
  return {
    changed: changes.length, staged: count((one) => one.staged), unstaged: count((one) => one.unstaged),
    untracked: count((one) => one.untracked), conflicts: count((one) => one.conflict)
  }
}

export async function status (repository: PlainRepository): Promise<GitStatus> {
  const changes = await changesOf(repository)
  const untilMs = performance.now() + countingMs
  const files: FileChange[] = []
  for (const change of changes.slice(0, maxFiles)) {
    const counts = performance.now() > untilMs || change.conflict
      ? { additions: 0, deletions: 0, binary: false }
      : lineCounts(await contentsAt(repository, repository.head, change.path), await contentsIn(repository, change.path))
    files.push({ ...change, path: change.path.slice(repository.prefix.length), oldPath: null, ...counts })
  }
  return { ...await trackingOf(repository), head: repository.head, totals: totalsOf(changes), files, truncated: changes.length > maxFiles }
}

export async function info (repository: PlainRepository): Promise<GitInfo> {
  const { changed, untracked } = totalsOf(await changesOf(repository))
  const { branch, ahead, behind } = await trackingOf(repository)
  return { branch: branch ?? repository.head?.slice(0, 7) ?? '', dirty: changed, modified: changed - untracked, untracked, ahead, behind }
}

/** Returns the upstream of a branch: its name, such as `origin/main`, and its full ref. */
function upstreamOf ({ config }: PlainRepository, branch: string): { name: string, ref: string } | null {
  const remote = config.get(`branch.${branch}.remote`)
  const merge = config.get(`branch.${branch}.merge`)?.replace(/^refs\/heads\//, '')
  if (remote === undefined || merge === undefined) return null
  return remote === '.'
    ? { name: merge, ref: `refs/heads/${merge}` }
    : { name: `${remote}/${merge}`, ref: `refs/remotes/${remote}/${merge}` }
}

async function trackingOf (repository: PlainRepository): Promise<Pick<GitStatus, 'branch' | 'upstream' | 'ahead' | 'behind'>> {
  const { branch, head } = repository
  const upstream = branch === null ? null : upstreamOf(repository, branch)
  const there = upstream === null ? null : await resolve(repository, upstream.ref)
  const counts = head === null || there === null ? { ahead: 0, behind: 0 } : await distance(repository, head, there)
  return { branch, upstream: upstream?.name ?? null, ...counts }
}

async function resolve ({ fs, dir, gitdir }: PlainRepository, ref: string): Promise<string | null> {
  return await git.resolveRef({ fs, dir, gitdir, ref }).catch(() => null)
}

async function distance (repository: PlainRepository, here: string, there: string): Promise<{ ahead: number, behind: number }> {
  if (here === there) return { ahead: 0, behind: 0 }
  const [own, other] = [await ancestors(repository, here), await ancestors(repository, there)]
  const missing = (from: Set<string>, to: Set<string>): number => [...from].filter((oid) => !to.has(oid)).length
  return { ahead: missing(own, other), behind: missing(other, own) }
}

async function ancestors ({ fs, dir, gitdir, cache }: PlainRepository, oid: string): Promise<Set<string>> {
  const seen = new Set([oid])
  for (const next of seen) {
    if (seen.size > maxHistory) throw needsGit('histories of this length')
    const { commit } = await git.readCommit({ fs, dir, gitdir, cache, oid: next })
    for (const parent of commit.parent) seen.add(parent)
  }
  return seen
}

export async function branches (repository: PlainRepository): Promise<Branches> {
  const { fs, dir, gitdir, branch, head } = repository
  const local: Branch[] = []
  for (const name of await git.listBranches({ fs, dir, gitdir })) local.push(...await branchAt(repository, name, `refs/heads/${name}`))
  const remote: Branch[] = []
  for (const { remote: place } of await git.listRemotes({ fs, dir, gitdir })) {
    for (const name of await git.listBranches({ fs, dir, gitdir, remote: place })) {
      if (name !== 'HEAD') remote.push(...await branchAt(repository, `${place}/${name}`, `refs/remotes/${place}/${name}`))
    }
  }
  const newest = (list: Branch[]): Branch[] =>
    list.sort((one, other) => other.updatedAtS - one.updatedAtS || (one.name < other.name ? -1 : 1))
  return { ...await trackingOf(repository), detached: branch === null, head, local: newest(local), remote: newest(remote) }
}

async function branchAt (repository: PlainRepository, name: string, ref: string): Promise<Branch[]> {
  const { fs, dir, gitdir, cache } = repository
  const sha = await resolve(repository, ref)
  if (sha === null) return []
  const { commit } = await git.readCommit({ fs, dir, gitdir, cache, oid: sha })
  const upstream = ref.startsWith('refs/heads/') ? upstreamOf(repository, name) : null
  const there = upstream === null ? null : await resolve(repository, upstream.ref)
  const counts = there === null ? { ahead: 0, behind: 0 } : await distance(repository, sha, there)
  const [subject = ''] = commit.message.split('\n')
  return [{
    name, sha, updatedAtS: commit.committer.timestamp, author: commit.author.name, subject, upstream: upstream?.name ?? null, ...counts
  }]
}

export async function diff (repository: PlainRepository, path: string, kind: DiffKind): Promise<Diff> {
  const file = await treePath(repository, path)
  const [before, after] = kind === 'staged'
    ? [await contentsAt(repository, repository.head, file), await stagedContents(repository, file)]
    : [await stagedContents(repository, file), await contentsIn(repository, file)]
  const shown = file.slice(repository.prefix.length)
  const same = before === null ? after === null : after !== null && before.equals(after)
  const mode = after === null || kind === 'staged' ? stagedMode(repository, file) : await modeIn(repository, file)
  return {
    path: shown, kind,
    ...(same ? { binary: false, tooLarge: false, additions: 0, deletions: 0, diff: '' } : patchOf(shown, before, after, mode))
  }
}

/** See GitEngine.stored. */
export async function storedFile (repository: PlainRepository, path: string, storedIn: StoredIn): Promise<Buffer | null> {
  const file = await treePath(repository, path)
  const contents = storedIn === 'index'
    ? await stagedContents(repository, file)
    : await contentsAt(repository, storedIn === 'head' ? repository.head : await treeishOf(repository, storedIn), file)
  if (contents !== null && contents.length > mostStoredBytes) throw new TooLarge('The file is too large to be read from git')
  return contents
}

/** Returns null for the parent of a commit that has none. */
async function treeishOf (repository: PlainRepository, { commit: sha, isParent }: Exclude<StoredIn, string>): Promise<string | null> {
  const { oid, commit } = await commitAt(repository, sha)
  return isParent ? commit.parent[0] ?? null : oid
}

async function commitAt ({ fs, dir, gitdir, cache }: PlainRepository, ref: string): Promise<ReadCommitResult> {
  const unknown = new Invalid('No branch, tag or commit has this name', 'invalid_ref')
  if (ref.startsWith('-') || /[\s~^:?*[\\\p{Cc}]|\.\.|@\{/u.test(ref)) throw unknown
  const oid = await git.resolveRef({ fs, dir, gitdir, ref }).catch(async () =>
    /^[0-9a-f]{4,40}$/.test(ref) ? await git.expandOid({ fs, dir, gitdir, oid: ref, cache }).catch(() => null) : null)
  if (oid === null) throw unknown
  return await git.readCommit({ fs, dir, gitdir, cache, oid }).catch(() => { throw unknown })
}

export async function log (
  repository: PlainRepository, { ref, limit, offset }: { ref?: string, limit: number, offset: number }
): Promise<{ commits: Commit[], next: number | null }> {
  const { fs, dir, gitdir, cache, prefix, head } = repository
  if (ref === undefined && head === null) return { commits: [], next: null }
  const { oid } = await commitAt(repository, ref ?? 'HEAD')
  const found = await git.log({
    fs, dir, gitdir, cache, ref: oid, ...(prefix === '' ? { depth: offset + limit + 1 } : { filepath: prefix.slice(0, -1), force: true })
  })
  const refs = await refsByCommit(repository)
  const commits = found.slice(offset, offset + limit).map((commit) => shownCommit(commit, refs))
  return { commits, next: found.length > offset + limit ? offset + limit : null }
}

async function refsByCommit (repository: PlainRepository): Promise<Map<string, string[]>> {
  const { fs, dir, gitdir } = repository
  const names = [
    ...(await git.listBranches({ fs, dir, gitdir })).map((name) => [name, `refs/heads/${name}`]),
    ...(await git.listTags({ fs, dir, gitdir })).map((name) => [name, `refs/tags/${name}`])
  ]
  const refs = new Map<string, string[]>()
  for (const [name, ref] of names as Array<[string, string]>) {
    const oid = await resolve(repository, ref)
    if (oid === null) continue
    const others = refs.get(oid)
    if (others === undefined) refs.set(oid, [name])
    else others.push(name)
  }
  return refs
}

function shownCommit ({ oid, commit }: ReadCommitResult, refs: Map<string, string[]>): Commit {
  const [subject = '', ...body] = commit.message.split('\n')
  return {
    sha: oid, parents: commit.parent, author: commit.author.name, email: commit.author.email, authoredAtS: commit.author.timestamp,
    committedAtS: commit.committer.timestamp,
    subject, body: body.join('\n').trim(), refs: refs.get(oid) ?? []
  }
}

export async function show (repository: PlainRepository, ref: string): Promise<CommitDetail> {
  const { fs, dir, gitdir, cache, prefix } = repository
  const commit = await commitAt(repository, ref)
  const [parent] = commit.commit.parent
  const files: CommitDetail['files'] = []
  const patches: Patch[] = []
  await git.walk({
    fs, dir, gitdir, cache,
    trees: [...(parent === undefined ? [] : [git.TREE({ ref: parent })]), git.TREE({ ref: commit.oid })],
    map: async (filepath, entries) => {
      const [before, after] = parent === undefined ? [null, entries[0] ?? null] : [entries[0] ?? null, entries[1] ?? null]
      const [was, is] = [await before?.oid(), await after?.oid()]
      if (was === is) return filepath === '.' ? undefined : null
      if (filepath === '.' || await before?.type() === 'tree' || await after?.type() === 'tree') return undefined
      if (!isShown(repository, filepath) || files.length >= maxFiles) return undefined
      const path = filepath.slice(prefix.length)
      const mode = (await (after ?? before)?.mode() ?? 0o100644).toString(8)
      const patch = patchOf(path, await blobOf(repository, was), await blobOf(repository, is), mode)
      patches.push(patch)
      files.push({
        path, oldPath: null, status: was === undefined ? 'A' : is === undefined ? 'D' : 'M', additions: patch.additions,
        deletions: patch.deletions, binary: patch.binary
      })
      return undefined
    }
  })
  const text = patches.map((patch) => patch.diff).join('')
  const tooLarge = text.length > maxDiffBytes || patches.some((patch) => patch.tooLarge)
  return {
    commit: shownCommit(commit, await refsByCommit(repository)), files, diff: tooLarge ? '' : text, tooLarge,
    truncated: files.length >= maxFiles
  }
}

/** Reads the stashes from the reflog of `refs/stash`, where git keeps them, newest last. Returns the newest first. */
export async function stashes ({ gitdir }: PlainRepository): Promise<Stash[]> {
  const lines = (await readRegularText(join(gitdir, 'logs/refs/stash')).catch(() => '')).split('\n').filter((line) => line !== '')
  return lines.reverse().flatMap((line, index) => {
    const [, sha, seconds, said = ''] = /^[0-9a-f]+ ([0-9a-f]+) .*> (\d+) [+-]\d+(?:\t(.*))?$/.exec(line) ?? []
    if (sha === undefined) return []
    const [, branch, message] = /^(?:WIP on|On) ([^:]+): (.*)$/.exec(said) ?? []
    return [{
      ref: `stash@{${index}}`, sha, branch: branch === undefined || branch === '(no branch)' ? null : branch, message: message ?? said,
      createdAtS: Number(seconds)
    }]
  })
}

export async function changesToDescribe (repository: PlainRepository, paths: string[] | null): Promise<ChangesToDescribe> {
  const chosen = paths === null ? null : await Promise.all(paths.map(async (path) => await treePath(repository, path)))
  const isChosen = (file: string): boolean =>
    chosen === null || chosen.some((one) => one === '' || file === one || file.startsWith(`${one}/`))
  const changes = (await changesOf(repository)).filter((change) => chosen === null ? change.staged : isChosen(change.path))
  const files: ChangesToDescribe['files'] = []
  let text = ''
  for (const { path, status } of changes.slice(0, maxFiles)) {
    const after = chosen === null ? await stagedContents(repository, path) : await contentsIn(repository, path)
    const {
      diff, additions, deletions
    } = patchOf(path.slice(repository.prefix.length), await contentsAt(repository, repository.head, path), after)
    files.push({ path: path.slice(repository.prefix.length), oldPath: null, status: status === '??' ? 'A' : status, additions, deletions })
    if (text.length <= maxDescribedBytes) text += diff
  }
  const bytes = Buffer.from(text)
  const truncated = bytes.length > maxDescribedBytes || changes.length > maxFiles
  const cut = bytes.subarray(0, maxDescribedBytes)
  return { diff: bytes.length > maxDescribedBytes ? cut.subarray(0, cut.lastIndexOf('\n') + 1).toString() : text, truncated, files }
}
