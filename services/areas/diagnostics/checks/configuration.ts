import { type ConfigProblem } from '../../../ground/home/config-check.js'
import { type Check, orOk, problem, warning } from '../check.js'

export interface ConfigurationOptions {
  profile: string
  read: () => { error: string | null, problems: readonly ConfigProblem[] }
}

/** Whether the config.yaml of a profile parses and its keys are valid. */
export function configurationCheck ({ profile, read }: ConfigurationOptions): Check {
  return {
    id: 'configuration',
    group: 'service',
    title: 'config.yaml',
    run () {
      const { error, problems } = read()
      if (error !== null) return problem(`config.yaml of the profile "${profile}" is broken: ${error}`, 'Correct it. Until then the last good version applies.')
      return orOk(problems.map(({ path, level, message }) => ({
        ...warning(message, level === 'error' ? 'Correct it in config.yaml. Until then its default applies.' : 'Correct it in config.yaml.'),
        about: path
      })), 'config.yaml has no problems.', 'configuration_fine')
    }
  }
}
