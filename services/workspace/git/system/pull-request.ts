import { type BranchToDescribe, type Remote } from '../engine.js'
import { refName } from '../run.js'
import { changesBetween } from './diff.js'
import { attempt, look, openRepository } from './repository.js'

const mostRemotes = 50
const mostCommits = 100

/** See GitEngine.remotes. */
export async function remotes (folder: string): Promise<Remote[]> {
  const repository = await openRepository(folder)
  const lines = (await look(repository, ['remote', '-v'])).stdout.toString().split('\n')
  return lines.flatMap((line) => {
    const [, name, url] = /^(\S+)\t(\S+) \(fetch\)/.exec(line) ?? []
    return name === undefined || url === undefined ? [] : [{ name, url }]
  }).slice(0, mostRemotes)
}

/** See GitEngine.branchToDescribe. */
export async function branchToDescribe (folder: string, { remote, branch }: { remote: string, branch: string }): Promise<BranchToDescribe> {
  const repository = await openRepository(folder)
  const found = await attempt(repository, ['merge-base', `refs/remotes/${refName(remote)}/${refName(branch)}`, 'HEAD'])
  if (found.exitCode !== 0) return { commits: [], diff: '', files: [], truncated: false }
  const base = found.stdout.toString().trim()
  const [changes, log] = await Promise.all([
    changesBetween(repository, base, 'HEAD'),
    look(repository, ['log', '-z', `--max-count=${mostCommits}`, '--format=%B', `${base}..HEAD`, '--'])
  ])
  return { ...changes, commits: log.stdout.toString().split('\0').map((text) => text.trim()).filter((text) => text !== '') }
}
