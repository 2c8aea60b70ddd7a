import { type ConfigProblem } from '../../../ground/home/config-check.js'
import { type Check, coded, orOk, problem, warning } from '../check.js'

export interface ConfigurationOptions {
  profile: string
  /** `ofAreas`: what areas found wrong in sections that they read themselves, each as "<key>: <what is wrong>". */
  read: () => { error: string | null, problems: readonly ConfigProblem[], ofAreas: readonly string[] }
}

const correct = 'Correct it in config.yaml.'

/** Whether the config.yaml of a profile parses and its keys are valid. */
export function configurationCheck ({ profile, read }: ConfigurationOptions): Check {
  return {
    id: 'configuration',
    group: 'service',
    title: 'config.yaml',
    run () {
      const { error, problems, ofAreas } = read()
      if (error !== null) {
        const message = `config.yaml of the profile "${profile}" is broken: ${error}`
        return coded(problem(message, 'Correct it. Until then the last good version applies.'), 'configuration_broken', { profile, reason: error })
      }
      return orOk([
        ...problems.map(({ path, level, message }) => ({
          ...warning(message, level === 'error' ? `${correct} Until then its default applies.` : correct), about: path
        })),
        ...ofAreas.map((message) => ({ ...warning(message, correct), about: message.split(':', 1).join('') }))
      ], 'config.yaml has no problems.', 'configuration_fine')
    }
  }
}
