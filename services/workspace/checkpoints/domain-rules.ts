import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Workers } from '../../ground/workers/index.js'
import { type Domain, domainAround, globalRules, repositoryRules } from './ignore-rules.js'
import { asName, digest, nameList, namesOf } from './names.js'
import { type Repository } from './repository.js'
import { walking, type Walk } from './walking.js'

/** A walk through a domain, with the user's rules. */
export interface RuledWalk extends Walk {
  /** The user's rules for all repositories, as text. */
  rules: string
}

/** Determines what the rules of domains ignore. Git reads their .gitignore files; rules from elsewhere are written into a file of ours. */
export class DomainRules {
  constructor (private readonly options: { repository: Repository, workers: Workers }) {}

  /** Returns the user's rules for all repositories, as text. */
  async global (signal: AbortSignal): Promise<string> {
    const { plumbing, gitDir } = this.options.repository
    return await globalRules(plumbing, gitDir, signal)
  }

  /** Returns the domain that contains a workspace. A workspace that is ignored by the surrounding repository is its own domain. */
  async outermost (workspace: string, asking: Omit<RuledWalk, 'domain'>): Promise<Domain> {
    const around = await domainAround(workspace)
    if (around.prefix === '') return around
    const ignored = await this.ask({ domain: around, ...asking }, [asName(around.prefix)])
    return ignored.length > 0 ? { top: workspace, prefix: '', at: '' } : around
  }

  /** Returns which of these paths (Latin-1) are ignored, whether or not they are in an index. */
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
      // A path that begins with a dot has no pathspec magic.
      input: nameList(paths.map((path) => `./${path}`)),
      exitCodes: [0, 1]
    }))
    return namesOf(stdout).map((path) => path.slice(2))
  }

  /** Writes the rules that are not in .gitignore files of the domain into a file of ours, and returns its path. */
  async write ({ domain: { top }, rules }: Pick<RuledWalk, 'domain' | 'rules'>): Promise<string> {
    const file = join(this.options.repository.own, `${digest(top)}.rules`)
    await writeFile(`${file}.new`, `${rules}\n${await repositoryRules(top)}\n`, 'latin1')
    await rename(`${file}.new`, file)
    return file
  }
}
