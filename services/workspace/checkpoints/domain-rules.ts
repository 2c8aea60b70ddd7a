import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Workers } from '../../ground/workers/index.js'
import { type Domain, domainAround, globalRules, repositoryRules } from './ignored.js'
import { bytesAsText, digest, nameList, namesOf } from './names.js'
import { type Repository } from './repository.js'
import { walking, type Walk } from './walking.js'

/** With which rules a domain is walked through. */
export interface RuledWalk extends Walk {
  /** The user's, of all repositories, as text. */
  rules: string
}

/** What the rules of domains ignore. Their own .gitignore files are read by git, what stands elsewhere is written into a file of ours. */
export class DomainRules {
  constructor (private readonly options: { repository: Repository, workers: Workers }) {}

  /** The user's rules for all repositories, as text. */
  async global (signal: AbortSignal): Promise<string> {
    const { plumbing, gitDir } = this.options.repository
    return await globalRules(plumbing, gitDir, signal)
  }

  /** The domain that a workspace lies in. A workspace that the repository around it ignores follows its own rules. */
  async outermost (workspace: string, asking: Omit<RuledWalk, 'domain'>): Promise<Domain> {
    const around = await domainAround(workspace)
    if (around.prefix === '') return around
    const ignored = await this.ask({ domain: around, ...asking }, [bytesAsText(around.prefix)])
    return ignored.length > 0 ? { top: workspace, prefix: '', at: '' } : around
  }

  /** Which of these paths (Latin-1) are ignored, whether or not they are in an index. */
  async ask (walk: RuledWalk, paths: readonly string[]): Promise<string[]> {
    const { repository: { plumbing, gitDir, own }, workers } = this.options
    const { domain: { top } } = walk
    const excludesFile = await this.write(walk)
    const { stdout } = await walking(walk, { plumbing, workers }, async (signal) => await plumbing.git({
      gitDir,
      args: ['check-ignore', '-z', '--no-index', '--stdin'],
      signal,
      workTree: top,
      indexFile: join(own, 'none.index'),
      excludesFile,
      magic: true,
      // What begins with a dot has no magic.
      input: nameList(paths.map((path) => `./${path}`)),
      exitCodes: [0, 1]
    }))
    return namesOf(stdout).map((path) => path.slice(2))
  }

  /** The rules that stand in no folder of the domain, in a file of ours. */
  async write ({ domain: { top }, rules }: Pick<RuledWalk, 'domain' | 'rules'>): Promise<string> {
    const file = join(this.options.repository.own, `${digest(top)}.rules`)
    await writeFile(`${file}.new`, `${rules}\n${await repositoryRules(top)}\n`, 'latin1')
    await rename(`${file}.new`, file)
    return file
  }
}
