import { stat } from 'node:fs/promises'
import { asError, DomainError } from '../../../ground/errors.js'
import { gitText } from '../../../workspace/git/index.js'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'
import { shellPath } from '../texts.js'

export interface GitOptions {
  /** `git`, or the built-in engine if it is not installed. */
  engine: () => Promise<{ engine: string, version: string }>
  workspace: string
  /** That of the service, which may name the author of commits. */
  environment: NodeJS.ProcessEnv
}

/** Git, the author of commits, its use in the default workspace, and where logins for remotes come from. */
export function gitCheck ({ engine, workspace, environment }: GitOptions): Check {
  return {
    id: 'git',
    group: 'agent',
    title: 'Git',
    async run () {
      const { engine: name, version } = await engine()
      if (name !== 'git') {
        return warning(
          'git is not installed. A built-in engine takes its place, which can do less.',
          'Install git:\nsudo apt-get install git', 'git_missing'
        )
      }
      const found = await Promise.all([author(environment), repository(workspace), logins()])
      return [{ ...coded(ok(`git ${version} is installed.`), 'git_ready', { version }), about: 'program' }, ...found]
    }
  }
}

async function author (environment: NodeJS.ProcessEnv): Promise<Finding> {
  const settings = await Promise.all(['user.name', 'user.email'].map(setting))
  const isKnown = ['NAME', 'EMAIL'].every((part, index) =>
    settings[index] !== '' || ['AUTHOR', 'COMMITTER'].every((who) => (environment[`GIT_${who}_${part}`] ?? '') !== ''))
  return {
    ...isKnown
      ? coded(ok('Commits have an author.'), 'git_author')
      : warning(
        'Commits have no author, so they are refused in repositories that set none.',
        'As the user of the service:\ngit config --global user.name "Your Name"\ngit config --global user.email you@example.org\n' +
        '# Or in its environment, for a container: GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME and GIT_COMMITTER_EMAIL.',
        'git_author_missing'
      ),
    about: 'author'
  }
}

async function repository (workspace: string): Promise<Finding> {
  const about = 'default workspace'
  if (!await stat(workspace).then((stats) => stats.isDirectory(), () => false)) {
    return { ...coded(skipped('The default workspace does not exist yet.'), 'git_workspace_missing'), about }
  }
  try {
    await gitText(workspace, ['rev-parse', '--is-inside-work-tree'])
    return { ...coded(ok('git works in the default workspace.'), 'git_workspace'), about }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (error.code === 'not_a_repo') return { ...coded(ok('The default workspace is not a git repository.'), 'git_workspace_plain'), about }
    if (/safe\.directory/.test(error.message)) {
      return {
        ...problem(
          'git refuses the default workspace, because it belongs to another user.',
          `As the user of the service:\ngit config --global --add safe.directory ${shellPath(workspace)}`, 'git_workspace_owner'
        ),
        about
      }
    }
    return { ...problem(`git does not work in the default workspace: ${asError(error).message}.`, null), about }
  }
}

async function logins (): Promise<Finding> {
  return {
    ...await setting('credential.helper') === ''
      ? {
          ...coded(ok('git has no credential helper: ssh keys work, repositories that need a login over https do not.'), 'git_no_logins'),
          fix: 'If you need such logins, as the user of the service:\ngit config --global credential.helper "cache --timeout=3600"'
        }
      : coded(ok('git has a credential helper.'), 'git_logins'),
    about: 'logins'
  }
}

/** Returns a setting of the user or the system; empty if it is not set. */
const setting = async (key: string): Promise<string> => await gitText('/', ['config', '--get', key]).catch(() => '')
