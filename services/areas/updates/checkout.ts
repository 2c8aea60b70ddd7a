import { constants } from 'node:fs'
import { access, lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DomainError } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import {
  commitNamed, fetchRefs, gitAnswer, gitText, isAncestor, refuseLinkedStorage, transportSettings, workTreeOf
} from '../../workspace/git/index.js'
import { type Installation } from './installation.js'
import { otherWay } from './published-form.js'
import { newestRelease, type Release } from './releases.js'

export type Channel = 'stable' | 'experimental'

/** Why a checkout cannot be updated that knows no other, and what mends it. */
export const noRemote =
  'The checkout of this service has no remote to update from. Name the repository that it came from: git remote add origin <address>'

/** The checkout in which the service was built. */
export interface Checkout {
  root: string
  head: string
  /** Null: no branch is checked out. */
  branch: string | null
  /** Whether tracked files have changes. */
  dirty: boolean
  /** Null: without a remote. */
  remote: { name: string, url: string, branch: string | null } | null
}

/** The version to update to. */
export interface Target {
  sha: string
  /** Null if the end of the branch is followed. */
  release: Release | null
  /** The newest release that is contained in HEAD. */
  current: Release | null
  /** How many commits it is ahead of HEAD; 0: nothing new. */
  behind: number
  /** Whether HEAD has commits of its own. */
  diverged: boolean
}

/** Separate ref names for what was fetched, so that no branches and tags of the checkout are touched. */
const fetchedHead = 'refs/updates/head'
const fetchedTags = 'refs/updates/tags'
/** No client waits for these commands, and the machine may be busy. */
const patient = { timeoutMs: 60_000 } as const

/**
 * Returns the checkout of an installation, or a sentence that says why it cannot be updated. It must have a repository of its own: a `.git`
 * that was copied or linked from elsewhere would move the branch of another checkout.
 */
export async function openCheckout (installation: Installation, packageName: string): Promise<Checkout | { reason: string }> {
  if ('reason' in installation) return installation
  if ('published' in installation) return { reason: otherWay(installation.published).message }
  const { root } = installation
  if (await lstat(join(root, '.git')).catch(() => null) === null) {
    return {
      reason: 'This service was not installed as a git checkout. Install the new version the way you installed this one, for instance with a new image'
    }
  }
  try {
    const tree = await workTreeOf(root)
    if (tree.top !== root) return { reason: 'The folder of this service is not a git checkout of its own' }
    await refuseLinkedStorage(tree)
    const { name } = fieldsOf(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
    if (name !== packageName) return { reason: 'The folder of this service is a checkout of another project' }
    return await describe(root)
  } catch (error) {
    if (error instanceof DomainError) return { reason: error.message }
    return { reason: 'The checkout of this service cannot be read' }
  }
}

async function describe (root: string): Promise<Checkout | { reason: string }> {
  const head = await commitNamed(root, 'HEAD', patient)
  if (head === null) return { reason: 'The checkout of this service has no commit yet' }
  const branch = await gitAnswer(root, ['symbolic-ref', '--quiet', '--short', 'HEAD'], patient)
  const { values } = await transportSettings(root)
  const last = (key: string): string | undefined => values.get(key)?.at(-1)
  const remotes = [...values.keys()].flatMap((key) => /^remote\.(.+)\.url$/s.exec(key)?.[1] ?? [])
  const followed = branch === null ? undefined : last(`branch.${branch}.remote`)
  const name = followed !== undefined && remotes.includes(followed)
    ? followed
    : remotes.includes('origin') ? 'origin' : remotes.length === 1 ? remotes[0] ?? null : null
  const merged = branch === null || followed !== name ? undefined : last(`branch.${branch}.merge`)?.replace(/^refs\/heads\//, '')
  const url = name === null ? undefined : last(`remote.${name}.url`)
  const changes = await gitText(root, ['status', '--porcelain', '--untracked-files=no', '-z'], patient)
  return {
    root, head, branch, dirty: changes !== '',
    remote: name === null || url === undefined ? null : { name, url, branch: merged ?? branch }
  }
}

/**
 * Fetches from the remote and returns what to update to: with the channel `stable` the newest release, if there is one, and otherwise the
 * end of the branch. Throws DomainError with the reason.
 */
export async function fetchTarget (
  { root, remote }: Checkout & { remote: NonNullable<Checkout['remote']> }, channel: Channel
): Promise<Target> {
  const head = remote.branch === null ? 'HEAD' : `refs/heads/${remote.branch}`
  await fetchRefs(root, remote.name, [`+${head}:${fetchedHead}`, `+refs/tags/v*:${fetchedTags}/v*`])
  const release = channel === 'stable' ? newestRelease(await releases(root)) : null
  const sha = release?.sha ?? await gitText(root, ['rev-parse', '--verify', `${fetchedHead}^{commit}`], patient)
  const behind = Number(await gitText(root, ['rev-list', '--count', `HEAD..${sha}`], patient))
  const isForward = await isAncestor(root, 'HEAD', sha, patient)
  return { sha, release, current: newestRelease(await releases(root, '--merged=HEAD')), behind, diverged: behind > 0 && !isForward }
}

async function releases (root: string, ...only: string[]): Promise<Release[]> {
  const listed = await gitText(
    root, ['for-each-ref', ...only, '--format=%(refname:lstrip=3) %(objectname) %(*objectname)', `${fetchedTags}/`], patient
  )
  return listed.split('\n').filter((line) => line !== '').map((line) => {
    const [version = '', tag = '', commit = ''] = line.split(' ')
    // For an annotated tag, git also prints the commit that it names.
    return { version, sha: commit === '' ? tag : commit }
  })
}

/** Whether this process may replace files of a folder. */
export async function isWritable (folder: string): Promise<boolean> {
  return await access(folder, constants.W_OK).then(() => true, () => false)
}
