import { DomainError, TooLarge } from '../../../ground/errors.js'
import { type Branch, type Branches } from '../engine.js'
import { secondsOf } from './records.js'
import { branchOf, headOf, look, openRepository, type Repository } from './repository.js'

const maxBranches = 500
// The date is raw, because all other formats fail for a commit from the far future.
const fields = ['refname', 'objectname', 'committerdate:raw', 'authorname', 'contents:subject', 'upstream:short', 'symref']
/** Without the texts of commits, which may have any size. */
const bareFields = fields.map((field) => field === 'authorname' || field === 'contents:subject' ? '' : field)
const distance = 'upstream:track,nobracket'

/** See GitEngine.branches. Returns at most 500 of each kind, those with the latest commits. */
export async function branches (folder: string): Promise<Branches> {
  const repository = await openRepository(folder)
  const [head, ref, local, remote] = await Promise.all([
    headOf(repository), branchOf(repository), branchesAt(repository, 'refs/heads/'), branchesAt(repository, 'refs/remotes/')
  ])
  const current = ref?.replace(/^refs\/heads\//, '') ?? null
  const own = local.find(({ name }) => name === current) ?? (ref === null ? undefined : (await branchesAt(repository, ref))[0])
  const { upstream = null, ahead = 0, behind = 0 } = own ?? {}
  return { branch: current, upstream, ahead, behind, detached: ref === null, head, local, remote }
}

/**
 * Returns branches, latest first. `prefix` is a full ref name, or the beginning of one with `/` at its end. Texts of commits are left out
 * if they are too large, and distances, which git counts commit by commit, if that takes too long.
 */
async function branchesAt (repository: Repository, prefix: string, hasTexts = true, hasDistances = true): Promise<Branch[]> {
  try {
    return await list(repository, prefix, [...hasTexts ? fields : bareFields, ...hasDistances ? [distance] : []])
  } catch (error) {
    if (hasTexts && error instanceof TooLarge) return await branchesAt(repository, prefix, false, hasDistances)
    const isLate = error instanceof DomainError && error.code === 'timeout'
    if (hasDistances && isLate) return await branchesAt(repository, prefix, hasTexts, false)
    throw error
  }
}

/** @param atoms fields of for-each-ref; one that is empty stays empty */
async function list (repository: Repository, prefix: string, atoms: string[]): Promise<Branch[]> {
  const { stdout } = await look(repository, [
    'for-each-ref', `--count=${maxBranches}`, '--sort=-committerdate:raw', `--format=${atoms.map((atom) => atom === '' ? '%00' : `%(${atom})%00`).join('')}`,
    '--', prefix
  ])
  const values = stdout.toString().split('\0')
  return Array.from({
    length: Math.floor(values.length / atoms.length)
  }, (_, index) => values.slice(index * atoms.length, (index + 1) * atoms.length))
    .filter(([, , , , , , target]) => target === '')
    .map(([ref = '', sha = '', updated = '', author = '', subject = '', upstream = '', , track = '']) => ({
      // Each entry ends with a line break, which therefore comes before the next name.
      name: ref.trimStart().replace(/^refs\/(?:heads|remotes)\//, ''),
      sha,
      updatedAtS: secondsOf(updated.replace(/ .*$/, '')),
      author,
      subject,
      upstream: upstream === '' ? null : upstream,
      ahead: Number(/ahead (\d+)/.exec(track)?.[1] ?? 0),
      behind: Number(/behind (\d+)/.exec(track)?.[1] ?? 0)
    }))
}
